import { ne } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { recordAudit } from '../../organization/audit/record'
import { updateFileReferencesIn } from './files'
import { readDraft, searchTextOf, type ValidatedDraft } from './draft'
import { TemplateChanged } from './events'
import { requireMaxPriceOn } from './max-price'
import type { NewTemplate } from './model'
import { languageKeyOf } from './queries'
import { templates } from './table'
import type { TemplateRow } from './view'
import { ConflictError } from '../../../lib/errors'

/**
 * Stores a draft in the caller's transaction. Throws InvalidError `invalid_input`, whose `errors`
 * list every problem, InvalidError `max_price_off`, and ConflictError `template_exists`.
 */
export function createDraftIn(tx: Tx, ctx: Ctx, input: NewTemplate): TemplateRow {
  const draft = readDraft(
    ctx,
    {
      category: input.category,
      components: input.components,
      samples: input.sample_values ?? [],
      format: input.parameter_format,
      ttlS: input.message_send_ttl_seconds ?? null,
      maxPrice: input.max_price ?? null,
      creativeOptOut: input.creative_opt_out ?? null,
      headerMediaId: input.header_media_id ?? null,
    },
    { name: input.name, language: input.language, accountId: input.account_id },
  )
  if (draft.account === null) throw new TypeError('valid template draft without an account')
  requireMaxPriceOn(ctx, draft.maxPrice)
  return insertDraftIn(tx, ctx, draft, {
    accountId: draft.account.id,
    businessId: draft.account.businessId,
    name: draft.name,
    language: draft.language,
    displayName: input.display_name?.trim() || input.name.trim(),
  })
}

type Naming = Pick<TemplateRow, 'accountId' | 'businessId' | 'name' | 'language' | 'displayName'>

/** Inserts a validated draft. Throws ConflictError `template_exists`. */
export function insertDraftIn(
  tx: Tx,
  ctx: Ctx,
  draft: ValidatedDraft,
  naming: Naming,
): TemplateRow {
  const languageKey = languageKeyOf(naming.language)
  requireUniqueName(ctx, { businessId: naming.businessId, name: naming.name, languageKey })
  const nowMs = ctx.clock.nowMs()
  const row = of(ctx, templates).insert(tx, {
    ...naming,
    id: ctx.ids.next(),
    languageKey,
    category: draft.category,
    status: 'DRAFT',
    parameterFormat: draft.format,
    components: JSON.stringify(draft.components),
    messageSendTtlS: draft.ttlS,
    maxPrice: draft.maxPrice,
    creativeOptOut: draft.creativeOptOut,
    headerMediaId: draft.headerMediaId,
    words: searchTextOf(naming, draft.components),
    createdBy: ctx.actor.userId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  })
  updateFileReferencesIn(tx, ctx, row, null)
  recordAudit(tx, ctx, {
    action: 'created',
    resourceType: 'template',
    resourceId: row.id,
    resourceName: row.name,
  })
  emit(tx, ctx, TemplateChanged, {
    contactId: null,
    payload: { templateId: row.id, changed: ['created'], isDeleted: false },
  })
  return row
}

/**
 * Throws ConflictError `template_exists` if the business account already has a template with this
 * name and language.
 */
export function requireUniqueName(
  ctx: Ctx,
  place: { businessId: string; name: string; languageKey: string },
): void {
  const taken = of(ctx, templates).find(place, ne(templates.status, 'DELETED'))
  if (taken)
    throw new ConflictError('A template with this name and language already exists.', {
      code: 'template_exists',
      details: { template_id: taken.id },
    })
}
