import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { Assignment } from '../../inbox/conversations/assign-many'
import type { ConversationRow } from '../../inbox/conversations/row'
import { recordTransferIn } from './audit'
import { endTransferIn, requireOwnTransfer } from './end'
import { findActiveTransfers, transferOf } from './find'
import { followConversationIn, type TransferMove } from './move'
import { offerAfterMovesIn, type Moved } from './offer-after-moves'
import { mayPickUp, requireMayTake } from './pick-up'
import { pauseIn, wakeIn } from './respond'
import type { TransferRow } from './rules'

/**
 * Changes a transfer along with the state of its conversation: closing ends it, a snooze stops its
 * clocks. Throws ForbiddenError if somebody else may close it only, and ConflictError
 * `transfer_active` for `pending`, which belongs to the bot.
 */
export function followStateIn(
  tx: Tx,
  ctx: Ctx,
  { before, state }: { before: ConversationRow; state: ConversationRow['state'] },
): void {
  const transfer = transferOf(ctx, before)
  if (!transfer) return
  if (state === 'pending')
    throw new ConflictError(
      'This conversation has an active transfer. End the transfer first; then the bot answers.',
      { code: 'transfer_active', details: { transfer_id: transfer.id } },
    )
  if (state === 'snoozed') pauseIn(tx, ctx, transfer)
  else if (state === 'open') wakeIn(tx, ctx, transfer)
  else {
    requireMayClose(ctx, transfer)
    endTransferIn(tx, ctx, transfer, { status: 'resumed' })
  }
}

/** Requires that the caller has the transfer, could take it or has `transfers:assign`. */
function requireMayClose(ctx: Ctx, transfer: TransferRow): void {
  if (transfer.agentId === null && mayPickUp(ctx, transfer)) return
  requireOwnTransfer(ctx, transfer)
}

/**
 * Moves a transfer along with its conversation. Claiming the conversation of a waiting transfer is
 * its pickup. Throws ForbiddenError (`pickup_disabled`, `not_in_team`) and ConflictError
 * `at_capacity`.
 */
export function followAssignmentIn(
  tx: Tx,
  ctx: Ctx,
  change: { after: ConversationRow; how: 'claimed' | 'released' | 'assigned' },
): void {
  const { after, how } = change
  const transfer = transferOf(ctx, after)
  if (!transfer) return
  if (how === 'claimed' && transfer.agentId === null) requireMayTake(ctx, transfer)
  const to = { agentId: after.assignedTo, teamId: after.teamId }
  offerAfterMovesIn(tx, ctx, followIn(tx, ctx, transfer, to))
}

/** Moves one transfer. Returns it if it moved. */
function followIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  to: { agentId: string | null; teamId: string | null },
): Moved[] {
  if (to.agentId === before.agentId && to.teamId === before.teamId) return []
  const kind = kindOf(ctx, before, to.agentId)
  const after = followConversationIn(tx, ctx, before, {
    ...to,
    kind,
    passesOver: kind === 'returned',
  })
  const action = { picked_up: 'claimed', assigned: 'assigned', returned: 'released' } as const
  recordTransferIn(tx, ctx, action[kind], { before, after })
  return [{ before, after }]
}

function kindOf(ctx: Ctx, before: TransferRow, agentId: string | null): TransferMove['kind'] {
  if (agentId === null) return 'returned'
  return before.agentId === null && agentId === ctx.actor.userId ? 'picked_up' : 'assigned'
}

/** Moves the transfers of many contacts along with their conversations. */
export function followBulkAssignmentIn(
  tx: Tx,
  ctx: Ctx,
  { contactIds, assignment }: { contactIds: string[]; assignment: Assignment },
): void {
  const moved = findActiveTransfers(ctx, contactIds).flatMap((transfer) =>
    followIn(tx, ctx, transfer, {
      agentId: assignment.assignedTo === undefined ? transfer.agentId : assignment.assignedTo,
      teamId: assignment.teamId === undefined ? transfer.teamId : assignment.teamId,
    }),
  )
  offerAfterMovesIn(tx, ctx, moved)
}
