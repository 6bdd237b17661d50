import { and, desc, eq, gt, inArray, isNotNull, max, ne, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { calls } from '../../../channel/calls/table'
import { messages } from '../table'

/** The longest period over which the platform limits requests. */
const PERIOD_MS = 7 * DAY_MS

/** The platform's limits of requests to a customer (platform documentation). */
const LIMITS = [
  { count: 1, periodMs: DAY_MS },
  { count: 2, periodMs: PERIOD_MS },
] as const

/** A contact and the phone number that wants to call it. */
export interface Callers {
  contactId: string
  accountId: string
}

const isRequest = or(
  and(
    eq(messages.type, 'interactive'),
    sql`json_extract(${messages.content}, '$.kind') = 'call_permission_request'`,
  ),
  and(eq(messages.type, 'template'), sql`${messages.content} like '%"CALL_PERMISSION_REQUEST"%'`),
)

const isReply = and(
  eq(messages.type, 'interactive'),
  sql`json_extract(${messages.content}, '$.kind') = 'call_permission_reply'`,
)

/** Condition for the messages of a conversation in the last seven days, by an index. */
const recent = (ctx: Ctx, { contactId, accountId }: Callers) =>
  and(
    eq(messages.contactId, contactId),
    eq(messages.accountId, accountId),
    gt(messages.timestampMs, ctx.clock.nowMs() - PERIOD_MS),
    inArray(messages.type, ['interactive', 'template']),
  )

/**
 * Returns what became of the requests of the last seven days: the newest is `requested` or, with a
 * newer answer, `denied`. `null` without a request, and after an answer that permits calls.
 */
export function requestState(ctx: Ctx, callers: Callers): 'requested' | 'denied' | null {
  const newest = ctx.db.orm
    .select({ direction: messages.direction, content: messages.content })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        recent(ctx, callers),
        or(
          and(eq(messages.direction, 'outgoing'), ne(messages.status, 'failed'), isRequest),
          and(eq(messages.direction, 'incoming'), isReply),
        ),
      ),
    )
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(1)
    .get()
  if (!newest) return null
  if (newest.direction === 'outgoing') return 'requested'
  return (JSON.parse(newest.content) as { response?: unknown }).response === 'accept'
    ? null
    : 'denied'
}

/**
 * Returns when the next request is allowed by the requests that this server knows of, or `null` if
 * one is allowed now. Requests that wait to be sent count; a call that was answered resets the
 * limits (platform documentation).
 */
export function nextRequestAt(ctx: Ctx, callers: Callers): number | null {
  const nowMs = ctx.clock.nowMs()
  const sinceMs = Math.max(nowMs - PERIOD_MS, lastAnsweredCall(ctx, callers))
  const times = ctx.db.orm
    .select({ atMs: messages.timestampMs })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        recent(ctx, callers),
        eq(messages.direction, 'outgoing'),
        ne(messages.status, 'failed'),
        gt(messages.timestampMs, sinceMs),
        isRequest,
      ),
    )
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(Math.max(...LIMITS.map(({ count }) => count)))
    .all()
    .map(({ atMs }) => atMs)
  const ends = LIMITS.flatMap(({ count, periodMs }) => {
    const oldest = times[count - 1]
    return oldest !== undefined && oldest + periodMs > nowMs ? [oldest + periodMs] : []
  })
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Returns when the number and the customer last spoke, or 0. */
const lastAnsweredCall = (ctx: Ctx, { contactId, accountId }: Callers): number =>
  ctx.db.orm
    .select({ atMs: max(calls.endedAtMs) })
    .from(calls)
    .where(
      inOrganization(
        ctx,
        calls,
        eq(calls.contactId, contactId),
        eq(calls.accountId, accountId),
        eq(calls.state, 'ended'),
        isNotNull(calls.endedAtMs),
      ),
    )
    .get()?.atMs ?? 0
