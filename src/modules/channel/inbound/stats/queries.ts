import { and, eq, inArray } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, isoTime } from '../../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../../infra/ctx'
import { accounts } from '../../accounts/table'
import { hoursWithin, mergeHours, type Hour } from './hourly'
import { percentileMs } from './time-histogram'
import { oldestPendingMs } from '../journal/staging-queue'
import type { InboundStats } from '../model'
import { timeOf } from '../select'
import { verifiedDelivery } from '../verify-signature'
import { inboundEvents, isNotDone, inboundStaging } from '../table'

/** Maximum period of one request, days. Counters are kept that long. */
const MAX_DAYS_LENGTH = 92

/**
 * Returns delivery statistics of a period (default: one day), in total and by hour. Throws
 * InvalidError for invalid times, for times in the wrong order and for periods over 92 days.
 */
export function getInboundStats(
  ctx: Ctx,
  query: { from?: string | undefined; to?: string | undefined },
): InboundStats {
  const nowMs = ctx.clock.nowMs()
  const toMs = timeOf(query.to, 'query.to') ?? nowMs
  const fromMs = timeOf(query.from, 'query.from') ?? toMs - DAY_MS
  if (fromMs > toMs || toMs - fromMs > MAX_DAYS_LENGTH * DAY_MS) {
    const message =
      fromMs > toMs
        ? 'must not be after to'
        : `must not be more than ${MAX_DAYS_LENGTH} days before to`
    throw new InvalidError(fieldSentence('query.from', message), {
      code: 'invalid_input',
      errors: [{ path: 'query.from', message }],
    })
  }
  const hours = hoursWithin(ctx, { fromMs, toMs: Math.max(toMs, fromMs + 1) })
  const none: Hour = {
    hourMs: fromMs - (fromMs % HOUR_MS),
    received: 0,
    duplicates: 0,
    unrouted: 0,
    failed: 0,
    acknowledgements: {},
  }
  const oldestMs = ctx.actor.isSuperAdmin ? oldestPendingMs(ctx) : oldestPendingOfOwnMs(ctx)
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    ...figuresOf(hours.reduce(mergeHours, none)),
    oldest_pending_age_ms: Math.max(0, nowMs - Math.min(oldestMs, nowMs)),
    hours: hours.map((hour) => ({ hour: isoTime(hour.hourMs), ...figuresOf(hour) })),
  }
}

const figuresOf = ({ received, duplicates, unrouted, failed, acknowledgements }: Hour) => ({
  received,
  duplicates,
  unrouted,
  failed,
  ack_p50_ms: percentileMs(acknowledgements, 0.5),
  ack_p99_ms: percentileMs(acknowledgements, 0.99),
})

/**
 * Returns the time of receipt of the oldest unprocessed change of the organization's phone numbers,
 * or `Infinity`.
 */
function oldestPendingOfOwnMs(ctx: Ctx): number {
  const numbers = ctx.db.orm
    .select({ phoneId: accounts.phoneId })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
    .map(({ phoneId }) => phoneId)
  if (numbers.length === 0) return Infinity
  const own = and(
    inArray(inboundEvents.phoneNumberId, numbers),
    isNotDone,
    eq(inboundEvents.state, 'pending'),
    eq(inboundEvents.attempts, 0),
  )
  const oldest = ctx.db.orm
    .select({ atMs: inboundEvents.receivedAtMs })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a waiting change has no organization; the filter names the own numbers',
        own,
      ),
    )
    .orderBy(inboundEvents.receivedAtMs)
    .limit(1)
    .get()
  return Math.min(oldest?.atMs ?? Infinity, oldestTakenMs(ctx, new Set(numbers)))
}

/** Maximum number of staged deliveries that are scanned. */
const MAX_LOOKED_AT = 200

/**
 * Returns the time of receipt of the oldest staged delivery for these phone numbers, or `Infinity`.
 */
function oldestTakenMs(ctx: Ctx, numbers: ReadonlySet<string>): number {
  const taken = ctx.db.orm
    .select()
    .from(inboundStaging)
    .orderBy(inboundStaging.id)
    .limit(MAX_LOOKED_AT)
    .all()
  const own = taken.find(({ body, signedBy }) =>
    verifiedDelivery(body, { signedBy, cell: '', places: null }).changes.some(
      ({ phoneNumberId }) => phoneNumberId !== null && numbers.has(phoneNumberId),
    ),
  )
  return own?.receivedAtMs ?? Infinity
}
