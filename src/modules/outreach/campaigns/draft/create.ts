import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { keepMediaIn } from '../../../channel/media/store'
import { getOrganization } from '../../../organization/organizations/service'
import { defaultCurrency } from '../../../channel/prices/lookup'
import { recordCampaignIn } from '../audit'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishCampaignIn } from '../results/publish'
import { campaignCounts, campaigns } from '../table'
import { mappingOf, type CampaignRow } from '../view'
import { checkTemplateValues, checkReferences, headerFileOf } from './checks'
import { EMPTY_AUDIENCE, columnsFrom } from './fields'
import type { NewCampaign } from './model'
import { filesOf, findTemplateOf } from './template'

/**
 * Creates a draft. Downloads and stores `header_media_url` first. Throws InvalidError
 * (`invalid_input`, `template_not_approved`, `media_url_refused`).
 */
export async function createCampaign(ctx: Ctx, input: NewCampaign): Promise<CampaignView> {
  const columns = columnsFrom(ctx, input, null)
  const headerMediaId = await headerFileOf(ctx, input, {
    templateId: input.template_id ?? null,
    known: null,
  })
  return transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const row: typeof campaigns.$inferInsert = {
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      name: input.name.trim(),
      nameKey: foldText(input.name.trim()),
      accountId: input.account_id,
      templateId: input.template_id ?? null,
      status: 'draft',
      audience: JSON.stringify(EMPTY_AUDIENCE),
      timezone: getOrganization(ctx).timezone,
      createdBy: ctx.actor.userId,
      actor: JSON.stringify(requestedByOf(ctx.actor)),
      currency: defaultCurrency(ctx),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...columns,
      headerMediaId: headerMediaId ?? null,
    }
    checkReferences(ctx, { ...input, template_id: input.template_id ?? null, isDraft: true })
    checkTemplateValues(ctx, input.template_id ?? null, {
      mapping: mappingOf({ variableMapping: row.variableMapping ?? '{}' }),
      defaults: input.default_params ?? {},
    })
    return campaignViewOf(ctx, insertDraftIn(tx, ctx, row))
  })
}

/** Inserts a validated draft. Runs inside the caller's transaction. */
export function insertDraftIn(tx: Tx, ctx: Ctx, row: typeof campaigns.$inferInsert): CampaignRow {
  const stored = tx.insert(campaigns).values(row).returning().get()
  tx.insert(campaignCounts)
    .values({ organizationId: ctx.organizationId, campaignId: stored.id })
    .run()
  keepFilesIn(tx, ctx, stored)
  recordCampaignIn(tx, ctx, stored, 'created')
  publishCampaignIn(tx, ctx, stored.id, 'state')
  return stored
}

/** Protects the files of the campaign from deletion. */
export function keepFilesIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const template = findTemplateOf(ctx, row.templateId)
  const { header, cards } = template ? filesOf(row, template) : { header: null, cards: [] }
  keepMediaIn(
    tx,
    ctx,
    [header, ...cards].filter((id) => id !== null),
  )
}
