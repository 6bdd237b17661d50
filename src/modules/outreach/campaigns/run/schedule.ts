import { InvalidError, fieldSentence, type FieldProblem } from '../../../../lib/errors'
import { isTimezone } from '../../../../lib/timezone'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { recordCampaignIn } from '../audit'
import { requireCopied } from '../draft/require-copied'
import { StartDueCampaign } from '../jobs'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishCampaignIn } from '../results/publish'
import { STEPS } from '../rules'
import { changeStateIn, getCampaignRow, wrongState } from '../state'
import type { CampaignRow } from '../view'
import { requireReady } from './require-ready'

const invalid = (problem: FieldProblem): InvalidError =>
  new InvalidError(fieldSentence(problem.path, problem.message), {
    code: 'invalid_input',
    errors: [problem],
  })

/**
 * Parses the start time of a campaign, which the schema of the request has checked. Throws
 * InvalidError if it is not in the future.
 */
export function parseStartTime(ctx: Ctx, written: string): number {
  const atMs = Date.parse(written)
  if (atMs <= ctx.clock.nowMs())
    throw invalid({ path: 'body.scheduled_at', message: 'must be in the future' })
  return atMs
}

/** Returns a time zone of the IANA list. Throws InvalidError for any other text. */
export function parseTimezone(name: string): string {
  if (!isTimezone(name))
    throw invalid({ path: 'body.timezone', message: 'is not a time zone such as Europe/Berlin' })
  return name
}

/**
 * Enqueues the job that starts a campaign at its time. Jobs for an earlier schedule start nothing.
 * Runs inside the caller's transaction.
 */
export function enqueueStartIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const scheduledAtMs = row.scheduledAtMs ?? ctx.clock.nowMs()
  enqueue(tx, ctx, StartDueCampaign, {
    args: { campaignId: row.id, scheduledAtMs },
    runAtMs: scheduledAtMs,
    orderingKey: `campaign-start:${row.id}`,
  })
}

/**
 * Sets the start time of a campaign. Throws NotFoundError, InvalidError as a start does, and
 * ConflictError `wrong_state`.
 */
export function scheduleCampaign(
  ctx: Ctx,
  id: string,
  input: { scheduled_at: string; timezone?: string | undefined },
): CampaignView {
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    const scheduledAtMs = parseStartTime(ctx, input.scheduled_at)
    const timezone = input.timezone === undefined ? before.timezone : parseTimezone(input.timezone)
    if (!STEPS.schedule.some((status) => status === before.status)) throw wrongState(before)
    requireCopied(ctx, before)
    requireReady(ctx, before, { isNow: false, waitsForFunding: true })
    return campaignViewOf(ctx, scheduleIn(tx, ctx, before, { scheduledAtMs, timezone }))
  })
}

/**
 * Moves a campaign to `scheduled` and enqueues its start. Throws ConflictError `wrong_state`. Runs
 * inside the caller's transaction.
 */
export function scheduleIn(
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
  enqueueStartIn(tx, ctx, row)
  recordCampaignIn(tx, ctx, row, 'scheduled')
  publishCampaignIn(tx, ctx, row.id, 'state')
  return row
}
