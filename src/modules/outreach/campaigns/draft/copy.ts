import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { insertDraftIn } from './create'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { getCampaignRow } from '../state'
import type { CampaignRow } from '../view'
import { copyBatchIn } from './copy-recipients'
import { CopyRecipients } from '../jobs'
import { copyKeyOf } from './copy-key'

/**
 * Creates a draft like an existing campaign, with its imported recipients if requested. The first
 * recipients are copied at once, the others by a job; the copy cannot start before the job is
 * complete. Throws NotFoundError.
 */
export function copyCampaign(
  ctx: Ctx,
  id: string,
  input: { name?: string | undefined; with_recipients?: boolean | undefined },
): CampaignView {
  return transact(ctx.db, (tx) => {
    const row = copyIn(tx, ctx, id, input.name)
    const at = { from: id, to: row.id, asker: requestedByOf(ctx.actor) }
    const after = input.with_recipients === true ? copyBatchIn(tx, ctx, { ...at, after: '' }) : null
    if (after !== null)
      enqueue(tx, ctx, CopyRecipients, { args: { ...at, after }, orderingKey: copyKeyOf(row.id) })
    return campaignViewOf(ctx, row)
  })
}

function copyIn(tx: Tx, ctx: Ctx, id: string, input: string | undefined): CampaignRow {
  const { name, pauseReason: _reason, ...row } = getCampaignRow(ctx, id)
  const nowMs = ctx.clock.nowMs()
  const copyName = input?.trim() ?? `${name.slice(0, 248)} (copy)`
  return insertDraftIn(tx, ctx, {
    ...row,
    ...{
      id: ctx.ids.next(),
      name: copyName,
      nameKey: foldText(copyName),
      status: 'draft',
      scheduledAtMs: null,
      estimatedMicros: null,
    },
    ...{
      isPlanned: false,
      errorsSinceMs: 0,
      ignoresErrors: false,
      isQuotaNotified: false,
      publishedAtMs: null,
      isPublishDue: false,
    },
    ...{ startedAtMs: null, completedAtMs: null, resumesAtMs: null, windowEndsAtMs: null },
    ...{
      createdBy: ctx.actor.userId,
      actor: JSON.stringify(requestedByOf(ctx.actor)),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    },
  })
}
