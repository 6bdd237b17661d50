import { fieldSentence, ConflictError, InvalidError, type FieldProblem } from '../../../lib/errors'
import { isTimezone } from '../../../lib/timezone'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../audit/record'
import { requestedByOf } from '../../auth/delegated-ctx'
import { publishCampaignIn, publishStateChangeIn } from '../results/publish'
import { refuseWhileCopied } from '../draft/require-copied'
import type { CampaignView } from '../model'
import { pauseIn } from './pause-automatically'
import { STEPS } from '../rules'
import { campaignViewOf } from '../queries'
import { fileUnderWay } from '../recipients/pending-import'
import { countsOf, getCampaignRow, changeStateIn, wrongState } from '../state'
import { StartDueCampaign, WithdrawMessages } from '../jobs'
import { requireStartable, resumeIn, startIn } from './start'
import type { CampaignRow } from '../view'
import { withdrawIn } from './withdraw'

const invalid = (problem: FieldProblem): InvalidError =>
  new InvalidError(fieldSentence(problem.path, problem.message), {
    code: 'invalid_input',
    errors: [problem],
  })

/** The instant a campaign is to start at. Throws InvalidError when it is no time to come. */
export function comingTime(ctx: Ctx, written: string): number {
  const atMs = Date.parse(written)
  if (Number.isNaN(atMs))
    throw invalid({ path: 'body.scheduled_at', message: 'must be a time with offset' })
  if (atMs <= ctx.clock.nowMs())
    throw invalid({ path: 'body.scheduled_at', message: 'must be in the future' })
  return atMs
}

/** A time zone of the IANA list. Throws InvalidError for any other word. */
export function knownTimezone(name: string): string {
  if (!isTimezone(name))
    throw invalid({ path: 'body.timezone', message: 'is not a time zone such as Europe/Berlin' })
  return name
}

/** Writes down who steered a campaign and how, in the caller's transaction. */
function recordIn(tx: Tx, ctx: Ctx, row: CampaignRow, action: string): void {
  recordAudit(tx, ctx, {
    action,
    resourceType: 'campaign',
    resourceId: row.id,
    resourceName: row.name,
  })
}

/**
 * Enqueues the job that starts a campaign at its time, in the caller's transaction; what was
 * enqueued for another time starts nothing.
 */
export function awaitTimeIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const scheduledAtMs = row.scheduledAtMs ?? ctx.clock.nowMs()
  enqueue(tx, ctx, StartDueCampaign, {
    args: { campaignId: row.id, scheduledAtMs },
    runAtMs: scheduledAtMs,
    serialKey: `campaign-start:${row.id}`,
  })
}

/**
 * Sets the time a campaign starts at. Throws NotFoundError, InvalidError as a start does, and
 * ConflictError `wrong_state`.
 */
export function scheduleCampaign(
  ctx: Ctx,
  id: string,
  asked: { scheduled_at: string; timezone?: string | undefined },
): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    const scheduledAtMs = comingTime(ctx, asked.scheduled_at)
    const timezone = asked.timezone === undefined ? before.timezone : knownTimezone(asked.timezone)
    if (!STEPS.schedule.some((status) => status === before.status)) throw wrongState(before)
    refuseWhileCopied(ctx, before)
    requireStartable(ctx, before)
    return campaignViewOf(ctx, scheduleIn(tx, ctx, before, { scheduledAtMs, timezone }))
  })
}

function scheduleIn(
  tx: Tx,
  ctx: Ctx,
  before: CampaignRow,
  at: { scheduledAtMs: number; timezone: string },
): CampaignRow {
  const actor = JSON.stringify(requestedByOf(ctx.actor))
  const row = changeStateIn(tx, ctx, before.id, {
    from: STEPS.schedule,
    set: { status: 'scheduled', actor, ...at },
  })
  if (!row) throw wrongState(getCampaignRow(ctx, before.id))
  awaitTimeIn(tx, ctx, row)
  recordIn(tx, ctx, row, 'scheduled')
  publishCampaignIn(tx, ctx, row.id, 'state')
  return row
}

/**
 * Starts a campaign, or lets it wait for its time when that lies ahead, and for a file of
 * recipients that is worked off then. Throws NotFoundError, InvalidError `template_not_approved`,
 * `account_inactive`, `no_recipients`, `over_budget`, and ConflictError `wrong_state`: of two who
 * start at once one loses.
 */
export function startCampaign(ctx: Ctx, id: string, isNow: boolean): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    if (!STEPS.start.some((status) => status === before.status)) throw wrongState(before)
    refuseWhileCopied(ctx, before)
    requireStartable(ctx, before)
    const { scheduledAtMs, timezone } = before
    if (!isNow && scheduledAtMs !== null && scheduledAtMs > ctx.clock.nowMs())
      return campaignViewOf(ctx, scheduleIn(tx, ctx, before, { scheduledAtMs, timezone }))
    refuseWhileBroughtIn(ctx, before)
    const row = startIn(tx, ctx, id, requestedByOf(ctx.actor))
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    recordIn(tx, ctx, row, 'started')
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}

/**
 * Refuses to start at once while a file of recipients is worked off: those who come later would be
 * left out. Throws ConflictError `wrong_state`.
 */
function refuseWhileBroughtIn(ctx: Ctx, { id, status }: CampaignRow): void {
  const importId = fileUnderWay(ctx, id)
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

/** Stops a campaign for now. Throws NotFoundError and ConflictError `wrong_state`. */
export function pauseCampaign(ctx: Ctx, id: string): CampaignView {
  return transact(ctx.db, (tx) => {
    const row = pauseIn(tx, ctx, id, { reason: 'user' })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    recordIn(tx, ctx, row, 'paused')
    return campaignViewOf(ctx, row)
  })
}

/**
 * Lets a paused campaign go on where it stood. Throws NotFoundError, InvalidError while the cause
 * is still there, and ConflictError `wrong_state` and `restored`.
 */
export function resumeCampaign(ctx: Ctx, id: string, ignoresErrors: boolean): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    if (before.status !== 'paused') throw wrongState(before)
    const isRestored = before.pauseReason === 'restored'
    if (isRestored && !ignoresErrors) throw mayHaveSent(ctx, before)
    requireStartable(ctx, before)
    const row = resumeIn(tx, ctx, id, {
      ignoresErrors: ignoresErrors && !isRestored,
      asker: requestedByOf(ctx.actor),
    })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    recordIn(tx, ctx, row, 'resumed')
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}

/**
 * The refusal to resume a campaign of a restored backup unasked: it does not know whom it wrote to
 * since the backup was made.
 */
function mayHaveSent(ctx: Ctx, { id, isPlanned }: CampaignRow): ConflictError {
  const { pending } = countsOf(ctx, id)
  const others = isPlanned ? '' : ' Its audience may add more.'
  return new ConflictError(
    `A backup was restored. ${pending} recipients may have received the message since the ` +
      `backup was made and would get it again.${others} To resume anyway, set ` +
      '`ignore_errors` to `true`.',
    { code: 'restored', details: { recipients: pending } },
  )
}

/**
 * Ends a campaign for good: whoever was not written to yet never will be. Throws NotFoundError and
 * ConflictError `wrong_state`.
 */
export function cancelCampaign(ctx: Ctx, id: string): CampaignView {
  return transact(ctx.db, (tx) => {
    const set = { status: 'cancelled', completedAtMs: ctx.clock.nowMs() } as const
    const row = changeStateIn(tx, ctx, id, { from: STEPS.cancel, set })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    if (withdrawIn(tx, ctx, id)) enqueue(tx, ctx, WithdrawMessages, { args: { campaignId: id } })
    recordIn(tx, ctx, row, 'cancelled')
    publishStateChangeIn(tx, ctx, id, 'cancelled')
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}
