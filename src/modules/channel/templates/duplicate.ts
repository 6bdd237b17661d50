import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { readDraft } from './draft'
import { optOutOf } from './creative-opt-out'
import { maxPriceOf } from './max-price'
import type { TemplateCopy, TemplateView } from './model'
import { insertDraftIn } from './insert-draft'
import { requireTemplate } from './queries'
import { componentsOf, templateView } from './view'

/**
 * Copies a template to a new draft with another name, language or account. Throws NotFoundError,
 * InvalidError and ConflictError `template_exists`.
 */
export function duplicateTemplate(ctx: Ctx, id: string, copy: TemplateCopy): TemplateView {
  return transact(ctx.db, (tx) => {
    const source = requireTemplate(ctx, id)
    const draft = readDraft(
      ctx,
      {
        category: source.category,
        components: componentsOf(source),
        samples: [],
        format: source.parameterFormat,
        ttlS: source.messageSendTtlS,
        maxPrice: maxPriceOf(source),
        creativeOptOut: optOutOf(source),
        headerMediaId: source.headerMediaId,
      },
      {
        name: copy.name,
        language: copy.language ?? source.language,
        accountId: copy.account_id ?? source.accountId,
      },
    )
    if (draft.account === null) throw new TypeError('valid template draft without an account')
    const row = insertDraftIn(tx, ctx, draft, {
      accountId: draft.account.id,
      businessId: draft.account.businessId,
      name: draft.name,
      language: draft.language,
      displayName: copy.name.trim(),
    })
    return templateView(row, { sent: 0, lastSentAtMs: null })
  })
}
