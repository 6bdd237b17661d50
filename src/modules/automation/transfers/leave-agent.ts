import { and, asc, count, eq, lte } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { enqueue } from '../../../infra/jobs/enqueue'
import { isActiveTransfer } from './find'
import { LeaveAgent } from './jobs'
import { moveTransferIn } from './move'
import { offerAfterMovesIn, type Moved } from './offer-after-moves'
import { transfers } from './table'

/** Maximum number of transfers moved in one transaction, and its time, milliseconds. */
const AT_ONCE = 25
const SLICE_MS = 5

/** Whose transfers return: those that the person had at this time. */
interface Leaving {
  userId: string
  untilMs: number
}

/**
 * Returns the active transfers of a person who accepts none any more to their queues, where jobs
 * offer them to others. Runs inside the caller's transaction. A job continues after the first 25, and when the time is over. Returns how
 * many transfers return in all.
 */
export function leaveAgentIn(tx: Tx, ctx: Ctx, leaving: Leaving): number {
  const held = inOrganization(
    ctx,
    transfers,
    and(
      eq(transfers.agentId, leaving.userId),
      isActiveTransfer,
      lte(transfers.pickedUpAtMs, leaving.untilMs),
    ),
  )
  const all = tx.select({ rows: count() }).from(transfers).where(held).get()?.rows ?? 0
  const isOver = timeIsOver(SLICE_MS)
  const moved: Moved[] = []
  for (const row of tx
    .select()
    .from(transfers)
    .where(held)
    .orderBy(asc(transfers.transferredAtMs), asc(transfers.id))
    .limit(AT_ONCE)
    .all()) {
    if (moved.length > 0 && isOver()) break
    const after = moveTransferIn(tx, ctx, row, {
      agentId: null,
      teamId: row.teamId,
      kind: 'returned',
      reason: 'agent_unavailable',
    })
    moved.push({ before: row, after })
  }
  offerAfterMovesIn(tx, ctx, moved)
  if (moved.length < all) enqueue(tx, ctx, LeaveAgent, { args: leaving })
  return all
}
