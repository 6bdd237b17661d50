import { HOUR_MS, SECOND_MS, isoTime } from '../../../../lib/clock'
import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { findAccount } from '../../../channel/accounts/queries'
import { requestedByOf, type RequestedBy } from '../../../organization/auth/delegated-ctx'
import { defaultCurrency } from '../../../channel/prices/lookup'
import { recordCampaignIn } from '../audit'
import { requireCopied } from '../draft/require-copied'
import { findTemplateOf } from '../draft/template'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { pendingImport } from '../recipients/pending-import'
import { notifyAboutCampaignIn } from '../results/notify'
import { publishStateChangeIn } from '../results/publish'
import { STEPS } from '../rules'
import { changeCampaignIn, changeStateIn, findCampaign, getCampaignRow, wrongState } from '../state'
import type { CampaignRow } from '../view'
import { blockerOfFunding, findBlocker, type Blocker } from './blockers'
import { continueIn } from './continue'
import { pauseAutomaticallyIn } from './pause-automatically'
import { requireReady } from './require-ready'
import { scheduleIn } from './schedule'
import { noticeText } from '../../../organization/notifications/catalog'

/** A scheduled start that waits for an import is tried again at this interval. */
const IMPORT_RECHECK_MS = 2 * SECOND_MS

/** A start later than this is reported to users. */
const LATE_MS = HOUR_MS

/**
 * Starts a campaign, or schedules it if its start time is in the future and `isNow` is false. Without
 * a payment method it is paused at once, and continues when there is one.
 * Throws NotFoundError, InvalidError `template_not_approved`, `account_inactive`, `no_recipients`,
 * `over_budget`, and ConflictError `wrong_state`, also for the second of two requests at the same
 * time.
 */
export function startCampaign(ctx: Ctx, id: string, isNow: boolean): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    if (!STEPS.start.some((status) => status === before.status)) throw wrongState(before)
    requireCopied(ctx, before)
    requireReady(ctx, before, { waitsForFunding: true })
    const { scheduledAtMs, timezone } = before
    if (!isNow && scheduledAtMs !== null && scheduledAtMs > ctx.clock.nowMs())
      return campaignViewOf(ctx, scheduleIn(tx, ctx, before, { scheduledAtMs, timezone }))
    requireImported(ctx, before)
    const row = startIn(tx, ctx, id, requestedByOf(ctx.actor))
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    recordCampaignIn(tx, ctx, row, 'started')
    pauseIfBlockedIn(tx, ctx, row.id, blockerOfFunding(findAccount(ctx, row.accountId)))
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}

/**
 * Requires that no recipients are being imported; later ones would be left out. Throws
 * ConflictError `wrong_state`.
 */
function requireImported(ctx: Ctx, { id, status }: CampaignRow): void {
  const importId = pendingImport(ctx, id)
  if (importId !== null)
    throw new ConflictError(
      'Recipients are still being imported. Start the campaign when the import is complete; ' +
        'a scheduled start waits for it.',
      {
        code: 'wrong_state',
        details: { status, import_id: importId },
      },
    )
}

/**
 * Starts a campaign. Returns `null` if its state does not allow it. Runs inside the caller's
 * transaction.
 */
function startIn(tx: Tx, ctx: Ctx, id: string, asker: RequestedBy | null): CampaignRow | null {
  const nowMs = ctx.clock.nowMs()
  const row = changeStateIn(tx, ctx, id, {
    from: STEPS.start,
    set: {
      status: 'sending',
      startedAtMs: nowMs,
      errorsSinceMs: nowMs,
      ...(asker ? { actor: JSON.stringify(asker) } : {}),
    },
  })
  if (!row) return null
  // The draft may be older than the first prices.
  if (row.currency === null) changeCampaignIn(tx, ctx, id, { currency: defaultCurrency(ctx) })
  continueIn(tx, ctx, row)
  publishStateChangeIn(tx, ctx, id, 'started')
  return row
}

/** Pauses a campaign that was just started and is blocked. */
function pauseIfBlockedIn(tx: Tx, ctx: Ctx, id: string, blocker: Blocker | null): void {
  if (!blocker) return
  const { reason, untilMs: resumesAtMs, message: note } = blocker
  pauseAutomaticallyIn(tx, ctx, id, { reason, resumesAtMs, note })
}

/**
 * Starts a scheduled campaign at its time. Does nothing if the schedule has changed. Waits while
 * recipients are imported and returns when to try again. Pauses the campaign if it is blocked, and
 * notifies users if the start is late. Runs inside the caller's transaction.
 */
export function startDueIn(
  tx: Tx,
  ctx: Ctx,
  due: { campaignId: string; scheduledAtMs: number },
): Outcome {
  const before = findCampaign(ctx, due.campaignId)
  if (before?.status !== 'scheduled' || before.scheduledAtMs !== due.scheduledAtMs) return undefined
  if (pendingImport(ctx, before.id) !== null) return { snoozeMs: IMPORT_RECHECK_MS }
  const blocker = findBlocker(ctx, before, findTemplateOf(ctx, before.templateId))
  const row = startIn(tx, ctx, due.campaignId, null)
  if (!row) return undefined
  pauseIfBlockedIn(tx, ctx, row.id, blocker)
  if (ctx.clock.nowMs() - due.scheduledAtMs > LATE_MS)
    notifyAboutCampaignIn(tx, ctx, row, {
      kind: 'campaign_late',
      severity: 'warning',
      title: 'Campaign started late',
      text: noticeText('campaign_late', { due_at: isoTime(due.scheduledAtMs) }),
      body:
        `It was scheduled for ${isoTime(due.scheduledAtMs)}, but the server was down or ` +
        'recipients were still being imported.',
    })
  return undefined
}
