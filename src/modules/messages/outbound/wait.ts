import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { type Ctx, type JobCtx } from '../../../infra/ctx'
import { type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { type AccountRow } from '../../accounts/view'
import { endAttempt, lastCallAt } from './attempts'
import { RESTRICTED, TEMPLATE_PAUSED } from '../rules'
import { becomeUnknownIn, failIn, setDeliveryState, type SendError } from './delivery-state'
import type { MessageRow } from '../view'

/** A message that waits for its number without a gate is looked at again so often. */
const BLOCKED_RECHECK_MS = 10 * MINUTE_MS

/** Clocks are put right by less than this all the time, milliseconds. */
const CLOCK_TOLERANCE_MS = 30 * SECOND_MS

/**
 * The message waits at the gate of its number; one from before there were gates looks again by
 * itself.
 */
export function waitForNumber(
  tx: Tx,
  ctx: JobCtx,
  row: MessageRow,
  why: { reason: string } | { untilMs: number },
): Outcome {
  if ('reason' in why) setDeliveryState(tx, ctx, row, 'held', why.reason)
  else setDeliveryState(tx, ctx, row, 'queued')
  if (ctx.gateKey !== '') return { backToGate: true }
  return { snoozeMs: 'untilMs' in why ? why.untilMs - ctx.clock.nowMs() : BLOCKED_RECHECK_MS }
}

/**
 * The message waits until the platform sends its template again; that is told by an event, which
 * hurries it.
 */
export function waitForTemplate(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'held', TEMPLATE_PAUSED)
  return { snoozeMs: BLOCKED_RECHECK_MS }
}

/**
 * The message waits until its number may write first again, which an event tells and hurries it;
 * its customer's next message hurries it, too.
 */
export function waitForRestriction(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  { restrictedUntilMs }: AccountRow,
): Outcome {
  setDeliveryState(tx, ctx, row, 'held', RESTRICTED)
  const leftMs = restrictedUntilMs === null ? Infinity : restrictedUntilMs - ctx.clock.nowMs()
  return { snoozeMs: Math.min(BLOCKED_RECHECK_MS, leftMs) }
}

/** The message waits until its contact may get one more. */
export function waitForContact(tx: Tx, ctx: Ctx, row: MessageRow, untilMs: number): Outcome {
  setDeliveryState(tx, ctx, row, 'retry_wait', 'contact_pace')
  return { snoozeMs: untilMs - ctx.clock.nowMs() }
}

/** Marks a message whose call was interrupted. It waits for a status. */
export function becomeAmbiguous(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'ambiguous')
  endAttempt(tx, ctx, row.id, { outcome: 'ambiguous' })
  return { snoozeMs: ctx.settings.sendUnknownMinutes * MINUTE_MS }
}

/**
 * After long enough without news nobody knows whether the message arrived, and it says so. Only a
 * person sends it again.
 */
export function waitForStatus(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  const sinceMs = lastCallAt(tx, ctx, row.id) ?? row.createdAtMs
  const leftMs = sinceMs + ctx.settings.sendUnknownMinutes * MINUTE_MS - ctx.clock.nowMs()
  // A call of a time that is yet to come: the clock was put back since.
  const isInFuture = sinceMs - ctx.clock.nowMs() > CLOCK_TOLERANCE_MS
  if (leftMs > 0 && !isInFuture) return { snoozeMs: leftMs }
  becomeUnknownIn(tx, ctx, row)
  return undefined
}

/** Fails the message and discards its job. */
export function giveUp(tx: Tx, ctx: Ctx, row: MessageRow, error: SendError): Outcome {
  failIn(tx, ctx, row, error)
  return { giveUp: error.code }
}
