import { InvalidError, type FieldProblem } from '../../../../lib/errors'

/** Returns the error for a campaign whose template is not chosen yet, and what else it lacks. */
export const noTemplate = (more: readonly FieldProblem[] = []): InvalidError =>
  new InvalidError('The campaign has no template. Choose one first.', {
    code: 'no_template',
    errors: [{ path: 'body.template_id', message: 'is required' }, ...more],
  })
