import { and, count, eq, inArray, max, sql } from 'drizzle-orm'

import { compiledUpdate } from '../../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../../infra/db/transact'
import type { SendPath } from '../../../../platform/client/client'
import { classify, type RetryClass } from '../../../../platform/client/errors'
import { sendAttempts } from '../table'

/** Result of a call to the platform. */
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
        eq(sendAttempts.messageId, place(sendAttempts.messageId, 'messageId')),
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
      path: sql.placeholder('path'),
      startedAtMs: sql.placeholder('nowMs'),
    })
    .prepare(),
)

/** Records an attempt before its call is made. */
export function beginAttempt(tx: Tx, ctx: Ctx, call: { messageId: string; path: SendPath }): void {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const { organizationId } = ctx
  const { messageId, path } = call
  const attempt = (newestAttempt(ctx.db).get({ organizationId, messageId })?.attempt ?? 0) + 1
  insertAttempt(ctx.db).run({ organizationId, messageId, attempt, path, nowMs: ctx.clock.nowMs() })
}

const changeOpenAttempt = compiledUpdate(
  sendAttempts,
  inOrganization(
    anyScope,
    sendAttempts,
    and(
      eq(sendAttempts.messageId, place(sendAttempts.messageId, 'messageId')),
      sql`${sendAttempts.endedAtMs} is null`,
    ),
  ),
)

/** Records the result of the open attempt. */
export function endAttempt(tx: Tx, ctx: Ctx, messageId: string, end: AttemptEnd): void {
  changeOpenAttempt(
    ctx.db,
    { organizationId: ctx.organizationId, messageId },
    { endedAtMs: ctx.clock.nowMs(), ...end },
  )
  if (end.outcome === 'ambiguous') onCommit(tx, () => ctx.metrics.ambiguousSends.inc())
}

/**
 * Counts the failed calls of a message with this error class. Each class has its own retry plan.
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

/** Counts the calls of a message that failed with one of these platform codes. */
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

/** Start of the newest call for a message, or `null`. */
export const lastCallAt = (tx: Tx, ctx: Ctx, messageId: string): number | null =>
  tx
    .select({ at: max(sendAttempts.startedAtMs) })
    .from(sendAttempts)
    .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, messageId)))
    .get()?.at ?? null
