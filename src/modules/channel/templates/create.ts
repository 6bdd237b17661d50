import { AppError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { NewTemplate, TemplateView } from './model'
import { createDraftIn } from './insert-draft'
import { templateView } from './view'
import { publishTemplate } from './publish'

/**
 * Creates a draft; with `submit` also submits it to the platform. Throws InvalidError
 * `invalid_input`, whose `errors` list every problem, ConflictError `template_exists`, and the
 * errors of {@link publishTemplate}: then the draft is kept and `details` hold its ID.
 */
export async function createTemplate(ctx: Ctx, input: NewTemplate): Promise<TemplateView> {
  const draft = transact(ctx.db, (tx) =>
    templateView(createDraftIn(tx, ctx, input), { sent: 0, lastSentAtMs: null }),
  )
  if (input.submit !== true) return draft
  try {
    return await publishTemplate(ctx, draft.id)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { httpStatus, message, code, errors, headers } = error
    throw new AppError(httpStatus, message, {
      code,
      headers,
      details: { ...error.details, template_id: draft.id },
      ...(errors === undefined ? {} : { errors }),
    })
  }
}
