import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { callsOf, isUnreadCall } from '../../inbox/conversations/recount'
import type { CallEnds } from './find'
import type { CallRow } from './row'
import { calls } from './table'

/**
 * Marks the missed calls of a conversation as read, up to a place in its thread (`null`: all), in
 * the caller's transaction. Does not change the unread count of the conversation.
 */
export function markCallsReadIn(
  tx: Tx,
  ctx: Ctx,
  ends: CallEnds,
  upTo: Pick<CallRow, 'id' | 'timestampMs'> | null,
): void {
  const nowMs = ctx.clock.nowMs()
  const reached =
    upTo === null
      ? undefined
      : sql`(${calls.timestampMs}, ${calls.id}) <= (${upTo.timestampMs}, ${sql.param(upTo.id, calls.id)})`
  tx.update(calls)
    .set({ readAtMs: nowMs, updatedAtMs: nowMs })
    .where(inOrganization(ctx, calls, and(callsOf(ends), isUnreadCall, reached)))
    .run()
}

/** Marks a missed call as unread, in the caller's transaction. */
export function markCallUnreadIn(tx: Tx, ctx: Ctx, id: string): void {
  tx.update(calls)
    .set({ readAtMs: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, calls, eq(calls.id, id)))
    .run()
}
