import { and, count, eq, inArray, max, sql } from 'drizzle-orm'

import { compiledUpdate } from '../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../infra/db/transact'
import { classify, type RetryClass } from '../../../platform/client/errors'
import { sendAttempts } from '../table'

/** How a call to the platform ended. */
export interface AttemptEnd {
  outcome: 'accepted' | 'refused' | 'ambiguous' | 'unreachable'
  httpStatus?: number | null
  platformCode?: number | null
  traceId?: string | null
}

const newestAttempt = compiled((orm) =>
  orm
    .select({ attempt: max(sendAttempts.attempt) })
    .from(sendAttempts)
    .where(
      inOrganization(
        anyScope,
        sendAttempts,
        eq(sendAttempts.messageId, sql.placeholder('messageId')),
      ),
    )
    .prepare(),
)

const insertAttempt = compiled((orm) =>
  orm
    .insert(sendAttempts)
    .values({
      organizationId: sql.placeholder('organizationId'),
      messageId: sql.placeholder('messageId'),
      attempt: sql.placeholder('attempt'),
      startedAtMs: sql.placeholder('nowMs'),
    })
    .prepare(),
)

/** Writes down that a call is about to be made, before it is. */
export function beginAttempt(tx: Tx, ctx: Ctx, messageId: string): void {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const { organizationId } = ctx
  const attempt = (newestAttempt(ctx.db).get({ organizationId, messageId })?.attempt ?? 0) + 1
  insertAttempt(ctx.db).run({ organizationId, messageId, attempt, nowMs: ctx.clock.nowMs() })
}

const changeOpenAttempt = compiledUpdate(
  sendAttempts,
  inOrganization(
    anyScope,
    sendAttempts,
    and(
      eq(sendAttempts.messageId, sql.placeholder('messageId')),
      sql`${sendAttempts.endedAtMs} is null`,
    ),
  ),
)

/** Closes the attempt under way: the newest without an end. */
export function endAttempt(tx: Tx, ctx: Ctx, messageId: string, end: AttemptEnd): void {
  changeOpenAttempt(
    ctx.db,
    { organizationId: ctx.organizationId, messageId },
    { endedAtMs: ctx.clock.nowMs(), ...end },
  )
  if (end.outcome === 'ambiguous') onCommit(tx, () => ctx.metrics.ambiguousSends.inc())
}

/**
 * How many calls for a message failed with this class of error; those of other classes have plans
 * of their own.
 */
export function callsOf(tx: Tx, ctx: Ctx, messageId: string, retryClass: RetryClass): number {
  const calls = tx
    .select({
      outcome: sendAttempts.outcome,
      code: sendAttempts.platformCode,
      httpStatus: sendAttempts.httpStatus,
    })
    .from(sendAttempts)
    .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, messageId)))
    .all()
  return calls.filter(
    ({ outcome, code, httpStatus }) =>
      (outcome === 'unreachable'
        ? 'again'
        : outcome === 'refused'
          ? classify({ code, subcode: null, httpStatus })
          : null) === retryClass,
  ).length
}

/** How many calls for a message were refused with one of these codes. */
export const refusalsOf = (tx: Tx, ctx: Ctx, messageId: string, codes: readonly number[]): number =>
  tx
    .select({ calls: count() })
    .from(sendAttempts)
    .where(
      inOrganization(
        ctx,
        sendAttempts,
        and(eq(sendAttempts.messageId, messageId), inArray(sendAttempts.platformCode, [...codes])),
      ),
    )
    .get()?.calls ?? 0

/** When the newest call for a message began; `null` when none was made. */
export const lastCallAt = (tx: Tx, ctx: Ctx, messageId: string): number | null =>
  tx
    .select({ at: max(sendAttempts.startedAtMs) })
    .from(sendAttempts)
    .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, messageId)))
    .get()?.at ?? null
