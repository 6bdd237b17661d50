import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { OfferToPerson, OfferWaiting } from './jobs'
import type { TransferRow } from './rules'

/** A transfer before and after it moved. */
export interface Moved {
  before: TransferRow
  after: TransferRow
}

/**
 * Enqueues the offers that moves make possible: of what returned to the queue of a team, to its
 * members, and of what else waits, to those who have one transfer less. Jobs do it, because a person
 * who leaves is a member until the end of the transaction. Runs inside the caller's transaction.
 */
export function offerAfterMovesIn(tx: Tx, ctx: Ctx, moves: Moved[]): void {
  const teamIds = new Set<string>()
  const userIds = new Set<string>()
  for (const { before, after } of moves) {
    if (after.agentId === null && after.teamId !== null) teamIds.add(after.teamId)
    if (before.agentId !== null && before.agentId !== after.agentId) userIds.add(before.agentId)
  }
  for (const teamId of teamIds) enqueue(tx, ctx, OfferWaiting, { args: { teamId } })
  for (const userId of userIds) enqueue(tx, ctx, OfferToPerson, { args: { userId } })
}
