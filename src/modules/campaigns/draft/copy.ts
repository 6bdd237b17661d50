import { foldText } from '../../../lib/fold-text'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { requestedByOf } from '../../auth/delegated-ctx'
import { insertDraftIn } from './create'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { getCampaignRow } from '../state'
import type { CampaignRow } from '../view'
import { copySomeIn } from './copy-recipients'
import { CopyRecipients } from '../jobs'
import { copyKeyOf } from './copy-key'

/**
 * Drafts a campaign like another one, with those who were brought in when asked for: the first of
 * them at once, the others by a job, until whose end the copy does not start. Throws NotFoundError.
 */
export function copyCampaign(
  ctx: Ctx,
  id: string,
  asked: { name?: string | undefined; with_recipients?: boolean | undefined },
): CampaignView {
  return transact(ctx.db, (tx) => {
    const row = copyIn(tx, ctx, id, asked.name)
    const at = { from: id, to: row.id, asker: requestedByOf(ctx.actor) }
    const after = asked.with_recipients === true ? copySomeIn(tx, ctx, { ...at, after: '' }) : null
    if (after !== null)
      enqueue(tx, ctx, CopyRecipients, { args: { ...at, after }, serialKey: copyKeyOf(row.id) })
    return campaignViewOf(ctx, row)
  })
}

function copyIn(tx: Tx, ctx: Ctx, id: string, asked: string | undefined): CampaignRow {
  const { name, pauseReason: _reason, ...row } = getCampaignRow(ctx, id)
  const nowMs = ctx.clock.nowMs()
  const called = asked?.trim() ?? `${name.slice(0, 248)} (copy)`
  return insertDraftIn(tx, ctx, {
    ...row,
    ...{
      id: ctx.ids.next(),
      name: called,
      nameKey: foldText(called),
      status: 'draft',
      scheduledAtMs: null,
      estimatedMicros: null,
    },
    ...{
      isPlanned: false,
      errorsSinceMs: 0,
      ignoresErrors: false,
      isQuotaTold: false,
      announcedAtMs: null,
      isAnnounceDue: false,
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
