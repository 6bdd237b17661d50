import type { FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { definitionsOf } from '../../../inbox/contacts/attributes/service'
import { fillTemplate } from '../../../channel/templates/render/render'
import { problemsOfMapping, valuesFor, type Filling, type OwnParams } from './values'
import type { CampaignTemplate } from './template'

type Written = Pick<Filling, 'mapping' | 'defaults'>

/**
 * Returns the problems of a campaign's template values: unknown variables, unknown contact fields,
 * and values the platform never accepts, such as values with line breaks (templates contract A,
 * rule 2).
 */
export function problemsOfFilling(
  ctx: Ctx,
  template: CampaignTemplate,
  written: Written,
): FieldProblem[] {
  const problems = problemsOfMapping(
    written,
    template.variables,
    new Set(definitionsOf(ctx).keys()),
  )
  return problems.length > 0 ? problems : problemsOfValues(template, written)
}

/** Checks fixed and default values, which do not depend on a contact. */
function problemsOfValues(
  { fillable }: CampaignTemplate,
  { mapping, defaults }: Written,
): FieldProblem[] {
  const values = valuesFor(
    { mapping, defaults, headerFile: null, cardFiles: cardsOf(fillable.components) },
    null,
    null,
  )
  return fillTemplate(fillable, values).findings.problems.map(({ path, message }) => {
    const name = nameAt(path)
    return {
      path: `body.${Object.hasOwn(mapping, name) || !Object.hasOwn(defaults, name) ? 'variable_mapping' : 'default_params'}.${name}`,
      message,
    }
  })
}

const cardsOf = (components: CampaignTemplate['fillable']['components']): null[] =>
  components.flatMap((component) =>
    component.type === 'CAROUSEL' ? component.cards.map(() => null) : [],
  )

/**
 * Returns the name in a mapping for a path of values: `body.cards.0.template_params.1` is
 * `cards.0.1`.
 */
const nameAt = (path: string): string =>
  path
    .replace(/^body\./, '')
    .replace(/template_params\.?/, '')
    .replace(/header_params(\.?)/, 'header$1')
    .replace(/button_params(\.?)/, 'button$1')

/**
 * Checks the imported values of one recipient without the mapping. Returns the first problem, or
 * `null`.
 */
export function problemOfParams({ fillable }: CampaignTemplate, own: OwnParams): string | null {
  const { body, header, buttons } = valuesFor(
    { mapping: {}, defaults: {}, headerFile: null, cardFiles: [] },
    null,
    own,
  )
  const [problem] = fillTemplate(fillable, { body, header, buttons }).findings.problems
  return problem === undefined ? null : `${problem.path.replace(/^body\./, '')} ${problem.message}`
}
