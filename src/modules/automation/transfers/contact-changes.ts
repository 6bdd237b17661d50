import { eq, inArray, lt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { changeConversationOfIn, updateTransferIn } from './change'
import { endTransferIn, resumeIn } from './end'
import { findActiveTransfer } from './find'
import { joinedNotes, type TransferRow } from './rules'
import { transferChanges, transfers } from './table'

/** Maximum number of transfers deleted in one transaction. */
const AT_ONCE = 100

/** Ends the active transfer of a contact that is blocked, deleted or erased, without a message. */
export function endForContactIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, reason }: { contactId: string; reason: string },
): void {
  const active = findActiveTransfer(ctx, contactId)
  if (active) resumeIn(tx, ctx, active, { reason })
}

/**
 * Moves the transfers of a contact to another one, in the transaction of their merge. Of two active
 * ones, the one with an agent stays, else the older; it takes over the notes of the other, which
 * ends.
 */
export function mergeTransfersIn(
  tx: Tx,
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): void {
  const [source, target] = [findActiveTransfer(ctx, from), findActiveTransfer(ctx, to)]
  if (source && target) joinIn(tx, ctx, source, target)
  tx.update(transfers)
    .set({ contactId: to })
    .where(inOrganization(ctx, transfers, eq(transfers.contactId, from)))
    .run()
  const active = findActiveTransfer(ctx, to)
  // The joined conversation has the assignee of either.
  if (active)
    changeConversationOfIn(tx, ctx, active, {
      assignedTo: active.agentId,
      teamId: active.teamId,
      ...(active.pausedAtMs === null
        ? { state: 'open', closedAtMs: null, snoozedUntilMs: null }
        : {}),
    })
}

function joinIn(tx: Tx, ctx: Ctx, source: TransferRow, target: TransferRow): void {
  const isHeld = (row: TransferRow): boolean => row.agentId !== null
  const staysSource =
    isHeld(source) === isHeld(target)
      ? source.transferredAtMs < target.transferredAtMs
      : isHeld(source)
  const [stays, ends] = staysSource ? [source, target] : [target, source]
  endTransferIn(tx, ctx, ends, { status: 'resumed', reason: 'merged' })
  const notes = joinedNotes(stays.notes, ends.notes)
  if (notes !== stays.notes) updateTransferIn(tx, ctx, stays, { notes })
}

/**
 * Deletes up to 100 transfers of a contact with their history, in the transaction that erases it.
 * Returns the number deleted.
 */
export function eraseTransfersIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(inOrganization(ctx, transfers, eq(transfers.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  deleteTransfersIn(tx, ctx, ids)
  return ids.length
}

/**
 * Deletes up to 100 transfers that ended before a time with their history, in the caller's
 * transaction. Returns whether there may be more.
 */
export function eraseTransfersBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  const ids = tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(inOrganization(ctx, transfers, lt(transfers.endedAtMs, beforeMs)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  deleteTransfersIn(tx, ctx, ids)
  return ids.length === AT_ONCE
}

function deleteTransfersIn(tx: Tx, ctx: Ctx, ids: string[]): void {
  if (ids.length === 0) return
  tx.delete(transferChanges)
    .where(inOrganization(ctx, transferChanges, inArray(transferChanges.transferId, ids)))
    .run()
  tx.delete(transfers)
    .where(inOrganization(ctx, transfers, inArray(transfers.id, ids)))
    .run()
}
