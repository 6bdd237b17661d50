import { and, eq, gt, gte, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { DAY_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { messages, sendAttempts } from '../table'
import { PAIR_BURST, PAIR_REFILL_MS, type Bucket, refillPair } from './token-bucket'

const PAIR_MEMORY_MS = PAIR_BURST * PAIR_REFILL_MS

/** Upper limit of the configurable message expiry. */
const MAX_WAIT_MS = 3 * DAY_MS

/** Recent attempts for one contact that may have reached the platform, oldest first. */
const recentAttempts = compiled((orm) =>
  orm
    .select({ atMs: sendAttempts.startedAtMs })
    .from(messages)
    .innerJoin(
      sendAttempts,
      and(
        eq(sendAttempts.organizationId, messages.organizationId),
        eq(sendAttempts.messageId, messages.id),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, place(messages.contactId, 'contactId')),
          gte(messages.timestampMs, place(messages.timestampMs, 'writtenSinceMs')),
          eq(messages.accountId, place(messages.accountId, 'accountId')),
          sql`${messages.direction} = 'outgoing'`,
          gt(sendAttempts.startedAtMs, place(sendAttempts.startedAtMs, 'sinceMs')),
          // Later attempts were made before the clock was set back.
          lte(sendAttempts.startedAtMs, place(sendAttempts.startedAtMs, 'nowMs')),
          or(isNull(sendAttempts.outcome), ne(sendAttempts.outcome, 'unreachable')),
        ),
      ),
    )
    .orderBy(sendAttempts.startedAtMs)
    .prepare(),
)

/** Rebuilds the token bucket of a contact from the attempts of the last minutes. */
export function bucketFromAttempts(ctx: Ctx, accountId: string, contactId: string): Bucket {
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - PAIR_MEMORY_MS
  const bucket: Bucket = { tokens: PAIR_BURST, atMs: sinceMs, blockedUntilMs: 0 }
  for (const { atMs } of recentAttempts(ctx.db).all({
    organizationId: ctx.organizationId,
    accountId,
    contactId,
    sinceMs,
    nowMs,
    writtenSinceMs: nowMs - MAX_WAIT_MS,
  })) {
    refillPair(bucket, atMs)
    bucket.tokens = Math.max(0, bucket.tokens - 1)
  }
  return bucket
}
