import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { ConversationRow } from '../../inbox/conversations/row'
import { publishTransferIn, updateTransferIn } from './change'
import { resumedDeadlines, silenceClocks, silentSinceMs } from './clocks'
import { findActiveTransfer, transferOf } from './find'
import type { TransferRow } from './rules'

/**
 * Records that a person wrote to a contact with an active transfer. The first time stops the clocks
 * of the response. Runs in the transaction of the message.
 */
export function recordResponseIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, atMs }: { contactId: string; atMs: number },
): void {
  const before = findActiveTransfer(ctx, contactId)
  if (!before || before.firstResponseAtMs !== null || atMs < before.transferredAtMs) return
  const after = updateTransferIn(tx, ctx, before, {
    firstResponseAtMs: atMs,
    escalationDueAtMs: null,
    agentDueAtMs: null,
  })
  publishTransferIn(
    tx,
    ctx,
    after,
    { kind: 'edited', changed: ['first_response_at'], details: { fields: ['first_response_at'] } },
    before,
  )
}

/**
 * Starts or stops the clocks of the customer's silence after a message of either side. Runs in the
 * transaction of the message.
 */
export function recordSilenceIn(tx: Tx, ctx: Ctx, conversation: ConversationRow): void {
  const row = transferOf(ctx, conversation)
  if (row) updateTransferIn(tx, ctx, row, silenceClocks(ctx, row, silentSinceMs(conversation)))
}

/**
 * Stops the clocks of the customer's silence because the customer wrote, whatever the platform's
 * time of the message: it has whole seconds and can be before our last message. Runs in the
 * transaction of the message.
 */
export function recordArrivalIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, isQuiet }: { contactId: string; isQuiet: boolean },
): void {
  const row = isQuiet ? null : findActiveTransfer(ctx, contactId)
  if (row && (row.expiresAtMs !== null || row.reminderDueAtMs !== null))
    updateTransferIn(tx, ctx, row, silenceClocks(ctx, row, null))
}

/** Stops the clocks of a transfer while its conversation is snoozed. */
export const pauseIn = (tx: Tx, ctx: Ctx, row: TransferRow): void => {
  if (row.pausedAtMs === null) updateTransferIn(tx, ctx, row, { pausedAtMs: ctx.clock.nowMs() })
}

/** Lets the clocks of a transfer run on when its conversation wakes. */
export function wakeIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  if (row.pausedAtMs === null) return
  updateTransferIn(tx, ctx, row, {
    ...resumedDeadlines(ctx, row, row.pausedAtMs),
    pausedAtMs: null,
  })
}
