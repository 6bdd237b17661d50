import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { teamMembers } from './table'

/**
 * Records that a member of a team was given work now. Later assignments have later times, also
 * within a millisecond, so that members take turns. Runs inside the caller's transaction.
 */
export function recordAssignmentIn(
  tx: Tx,
  ctx: Ctx,
  { teamId, userId }: { teamId: string; userId: string },
): void {
  const newest = tx
    .select({ atMs: sql<number | null>`max(${teamMembers.lastAssignedAtMs})` })
    .from(teamMembers)
    .where(inOrganization(ctx, teamMembers, eq(teamMembers.teamId, teamId)))
    .get()
  tx.update(teamMembers)
    .set({ lastAssignedAtMs: Math.max(ctx.clock.nowMs(), (newest?.atMs ?? 0) + 1) })
    .where(
      inOrganization(
        ctx,
        teamMembers,
        and(eq(teamMembers.teamId, teamId), eq(teamMembers.userId, userId)),
      ),
    )
    .run()
}
