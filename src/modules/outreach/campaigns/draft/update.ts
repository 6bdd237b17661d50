import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { differences } from '../../../organization/audit/record'
import { recordCampaignIn } from '../audit'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishCampaignIn } from '../results/publish'
import { STEPS } from '../rules'
import { enqueueStartIn } from '../run/schedule'
import { changeCampaignIn, getCampaignRow, wrongState } from '../state'
import { defaultsOf, mappingOf, type CampaignRow } from '../view'
import { checkTemplateValues, checkReferences, headerFileOf } from './checks'
import { keepFilesIn } from './create'
import { columnsFrom } from './fields'
import type { CampaignChanges } from './model'

/** Fields that can also be changed while a campaign is paused. */
const ADJUSTABLE = new Set(['name', 'rate_limit', 'budget', 'send_window', 'error_threshold'])

/**
 * Changes the given fields of a campaign. A scheduled campaign becomes a draft if its start time is
 * removed. Throws NotFoundError, InvalidError as for a new campaign, and ConflictError
 * `wrong_state`.
 */
export async function updateCampaign(
  ctx: Ctx,
  id: string,
  changes: CampaignChanges,
): Promise<CampaignView> {
  const current = getCampaignRow(ctx, id)
  requireEditable(current, changes)
  const headerMediaId = await headerFileOf(ctx, changes, {
    templateId: changes.template_id === undefined ? current.templateId : changes.template_id,
    known: current.headerMediaId,
  })
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    requireEditable(before, changes)
    const set = {
      ...columnsFrom(ctx, changes, before),
      ...(headerMediaId === undefined ? {} : { headerMediaId }),
    }
    const after = { ...before, ...set }
    if (changesAny(changes, ['account_id', 'template_id', 'audience']))
      checkReferences(ctx, {
        account_id: after.accountId,
        template_id: after.templateId,
        audience: changes.audience,
        isDraft: unscheduled(before, set).status === 'draft' || before.status === 'draft',
      })
    if (changesAny(changes, ['template_id', 'variable_mapping', 'default_params']))
      checkTemplateValues(ctx, after.templateId, {
        mapping: mappingOf(after),
        defaults: defaultsOf(after),
      })
    const was = campaignViewOf(ctx, before)
    const row = rescheduleIn(
      tx,
      ctx,
      changeCampaignIn(tx, ctx, id, unscheduled(before, set)),
      before,
    )
    keepFilesIn(tx, ctx, row)
    const is = campaignViewOf(ctx, row)
    recordCampaignIn(tx, ctx, row, 'updated', differences(was, is))
    publishCampaignIn(tx, ctx, id, 'state')
    return is
  })
}

function requireEditable(row: CampaignRow, changes: CampaignChanges): void {
  const allowed: readonly string[] = Object.keys(changes).every((field) => ADJUSTABLE.has(field))
    ? STEPS.adjust
    : STEPS.edit
  if (!allowed.includes(row.status)) throw wrongState(row)
}

const changesAny = (changes: CampaignChanges, fields: (keyof CampaignChanges)[]): boolean =>
  fields.some((field) => changes[field] !== undefined)

/** A scheduled campaign without a start time becomes a draft. */
const unscheduled = (before: CampaignRow, set: Partial<CampaignRow>): Partial<CampaignRow> =>
  before.status === 'scheduled' && set.scheduledAtMs === null ? { ...set, status: 'draft' } : set

function rescheduleIn(tx: Tx, ctx: Ctx, row: CampaignRow, before: CampaignRow): CampaignRow {
  if (row.status === 'scheduled' && row.scheduledAtMs !== before.scheduledAtMs)
    enqueueStartIn(tx, ctx, row)
  return row
}
