import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { requestedByOf, type RequestedBy } from '../../../organization/auth/delegated-ctx'
import { recordCampaignIn } from '../audit'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishStateChangeIn } from '../results/publish'
import { STEPS } from '../rules'
import { changeCampaignIn, changeStateIn, countsOf, getCampaignRow, wrongState } from '../state'
import type { CampaignRow } from '../view'
import { continueIn } from './continue'
import { requireReady } from './require-ready'
import { retryUnknownIn } from './retry-failed'

/** What a person decides about a campaign that is resumed. */
export interface ResumeChoice {
  /** Failures no longer pause the campaign. */
  ignoresErrors: boolean
  /** Recipients whose message may have arrived get it again. */
  includesUnknown: boolean
}

/**
 * Resumes a paused campaign. Throws NotFoundError, InvalidError while the cause of the pause
 * persists, and ConflictError `wrong_state` and `restored`.
 */
export function resumeCampaign(
  ctx: Ctx,
  id: string,
  { ignoresErrors, includesUnknown }: ResumeChoice,
): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    if (before.status !== 'paused') throw wrongState(before)
    if (before.pauseReason === 'restored' && !includesUnknown) throw restoredError(ctx, before)
    requireReady(ctx, before)
    const row = resumeIn(tx, ctx, id, { ignoresErrors, asker: requestedByOf(ctx.actor) })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    if (includesUnknown) retryUnknownIn(tx, ctx, id)
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}

/**
 * Returns the error for resuming a campaign of a restored backup without a decision: recipients may
 * have received messages since the backup was made.
 */
function restoredError(ctx: Ctx, { id, isPlanned }: CampaignRow): ConflictError {
  const { pending, unknown } = countsOf(ctx, id)
  const recipients = pending + unknown
  const others = isPlanned ? '' : ' Its audience may add more.'
  return new ConflictError(
    `A backup was restored. ${recipients} recipients may have received the message since the ` +
      `backup was made and would get it again.${others} To send to them anyway, set ` +
      '`include_unknown` to `true`; to leave them out, cancel the campaign.',
    { code: 'restored', details: { recipients } },
  )
}

/**
 * Resumes a paused campaign. Returns `null` if it is not paused. If planning is not complete, the
 * audience is limited to the contacts that `asker` can see. Runs inside the caller's transaction.
 */
export function resumeIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  how: { ignoresErrors: boolean; asker: RequestedBy | null },
): CampaignRow | null {
  const set = how.asker ? { actor: JSON.stringify(how.asker) } : {}
  const row = changeStateIn(tx, ctx, id, {
    from: STEPS.resume,
    set: { status: 'sending', ...set },
  })
  if (!row) return null
  continueIn(tx, ctx, resetErrorCountIn(tx, ctx, id, row.ignoresErrors || how.ignoresErrors))
  recordCampaignIn(tx, ctx, row, 'resumed')
  publishStateChangeIn(tx, ctx, id, 'resumed')
  return row
}

/** Resets the error rate when a campaign is resumed. */
const resetErrorCountIn = (tx: Tx, ctx: Ctx, id: string, ignoresErrors: boolean): CampaignRow =>
  changeCampaignIn(tx, ctx, id, { errorsSinceMs: ctx.clock.nowMs(), ignoresErrors })
