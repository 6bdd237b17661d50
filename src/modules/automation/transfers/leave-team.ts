import { and, eq, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { enqueue } from '../../../infra/jobs/enqueue'
import { findTeam } from '../../inbox/teams/find'
import { changeTransferIn } from './change'
import { isActiveTransfer } from './find'
import { LeaveTeam } from './jobs'
import { moveTransferIn } from './move'
import { transfers } from './table'

/** Maximum number of transfers moved in one transaction, and its time, milliseconds. */
const AT_ONCE = 25
const SLICE_MS = 5

/**
 * Moves the waiting transfers of a closed team to the general queue. Those with an agent stay with
 * the agent; those of a deleted team no longer name it. A job continues after the first 25, and
 * when the time is over. Runs inside the caller's transaction.
 */
export function leaveClosedTeamIn(
  tx: Tx,
  ctx: Ctx,
  team: { teamId: string; isDeleted: boolean },
): void {
  if (findTeam(ctx, team.teamId)?.isActive) return
  const rows = tx
    .select()
    .from(transfers)
    .where(
      inOrganization(
        ctx,
        transfers,
        and(
          eq(transfers.teamId, team.teamId),
          isActiveTransfer,
          team.isDeleted ? undefined : isNull(transfers.agentId),
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  const isOver = timeIsOver(SLICE_MS)
  let left = 0
  for (const row of rows) {
    if (isOver()) break
    left += 1
    if (row.agentId === null)
      moveTransferIn(tx, ctx, row, {
        agentId: null,
        teamId: null,
        kind: 'returned',
        reason: 'team_closed',
      })
    else
      changeTransferIn(
        tx,
        ctx,
        row,
        { teamId: null },
        { kind: 'edited', changed: ['team_id'], details: { reason: 'team_closed' } },
      )
  }
  if (left < rows.length || rows.length === AT_ONCE) enqueue(tx, ctx, LeaveTeam, { args: team })
}
