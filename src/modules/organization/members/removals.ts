import { and, eq, gt } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { memberRemovals } from './table'

/** How long a person who was removed needs an invitation to come back. */
const REMOVED_MS = 30 * DAY_MS

/** Remembers that others removed a person, in the caller's transaction. */
export const recordRemovalIn = (tx: Tx, ctx: Ctx, userId: string): void => {
  const removedAtMs = ctx.clock.nowMs()
  tx.insert(memberRemovals)
    .values({ organizationId: ctx.organizationId, userId, removedAtMs })
    .onConflictDoUpdate({
      target: [memberRemovals.organizationId, memberRemovals.userId],
      set: { removedAtMs },
    })
    .run()
}

/** Forgets it when the person is a member again, in the caller's transaction. */
export const forgetRemovalIn = (tx: Tx, ctx: Ctx, userId: string): void =>
  tx
    .delete(memberRemovals)
    .where(inOrganization(ctx, memberRemovals, eq(memberRemovals.userId, userId)))
    .run()

/** Whether others removed a person from the scope's organization lately. */
export const wasRemovedLately = (ctx: Ctx, userId: string): boolean =>
  ctx.db.orm
    .select({ atMs: memberRemovals.removedAtMs })
    .from(memberRemovals)
    .where(
      inOrganization(
        ctx,
        memberRemovals,
        and(
          eq(memberRemovals.userId, userId),
          gt(memberRemovals.removedAtMs, ctx.clock.nowMs() - REMOVED_MS),
        ),
      ),
    )
    .get() !== undefined
