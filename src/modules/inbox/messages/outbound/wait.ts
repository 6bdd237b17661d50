import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { type Ctx, type JobCtx } from '../../../../infra/ctx'
import { type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { nextAllowanceMs } from '../../../channel/accounts/funding/hold'
import { type AccountRow } from '../../../channel/accounts/view'
import { lastCallAt } from './attempts'
import {
  EARLIER_UNCONFIRMED,
  RESTRICTED,
  TEMPLATE_PAUSED,
  TEMPLATE_SYNCING,
  UNPAID,
} from '../rules'
import {
  becomeUnknownIn,
  failIn,
  setAmbiguousIn,
  setDeliveryState,
  type SendError,
} from './delivery-state'
import { repeatWaitMs } from './outcome-wait'
import { repeatTimeOf } from './repeat'
import type { MessageRow } from '../view'

/** Interval at which a blocked message is checked again. */
const BLOCKED_RECHECK_MS = 10 * MINUTE_MS

/** Clock corrections below this are normal, in milliseconds. */
const CLOCK_TOLERANCE_MS = 30 * SECOND_MS

/** Puts the message back to the gate of its phone number. A job without a gate polls instead. */
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
 * Holds the message until its template is active again. An event about the template releases it
 * earlier.
 */
export function waitForTemplate(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'held', TEMPLATE_PAUSED)
  return { snoozeMs: BLOCKED_RECHECK_MS }
}

/** Holds the message until the platform has prepared its template for the marketing path. */
export function waitForSync(tx: Tx, ctx: Ctx, row: MessageRow, untilMs: number): Outcome {
  setDeliveryState(tx, ctx, row, 'held', TEMPLATE_SYNCING)
  return { snoozeMs: untilMs - ctx.clock.nowMs() }
}

/**
 * Holds the message until the restriction of its phone number ends. An event about the number, or
 * the customer's next message, releases it earlier.
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

/**
 * Holds the message until its phone number has a payment method or free messages again. An event
 * about the number releases it earlier.
 */
export function waitForPayment(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setDeliveryState(tx, ctx, row, 'held', UNPAID)
  const leftMs = nextAllowanceMs(ctx, row.accountId) - ctx.clock.nowMs()
  return { snoozeMs: Math.min(BLOCKED_RECHECK_MS, leftMs) }
}

/** Holds the message until the rate limit of its contact allows it. */
export function waitForContact(tx: Tx, ctx: Ctx, row: MessageRow, untilMs: number): Outcome {
  setDeliveryState(tx, ctx, row, 'retry_wait', 'contact_pace')
  return { snoozeMs: untilMs - ctx.clock.nowMs() }
}

/** Holds a message of the bot while an earlier one to the contact may still be repeated. */
export function waitForEarlier(tx: Tx, ctx: Ctx, row: MessageRow, waitMs: number): Outcome {
  setDeliveryState(tx, ctx, row, 'held', EARLIER_UNCONFIRMED)
  return { snoozeMs: waitMs }
}

/** Marks a message whose call did not answer. It waits for a status, or until the bot repeats it. */
export function becomeAmbiguous(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  const repeatAtMs = repeatTimeOf(tx, ctx, row)
  setAmbiguousIn(tx, ctx, row, repeatAtMs)
  if (repeatAtMs !== null) return { snoozeMs: repeatWaitMs(ctx, repeatAtMs) }
  return { snoozeMs: ctx.settings.sendUnknownMinutes * MINUTE_MS }
}

/** Marks the message `unknown` if no status arrived in time. Only a person can resend it. */
export function waitForStatus(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  const sinceMs = lastCallAt(tx, ctx, row.id) ?? row.createdAtMs
  const leftMs = sinceMs + ctx.settings.sendUnknownMinutes * MINUTE_MS - ctx.clock.nowMs()
  // The call seems to be in the future because the clock was set back since.
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
