import { ForbiddenError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { activeOwnerOf } from '../../inbox/conversations/service'
import { changeConversationIn } from '../../inbox/conversations/update'
import { findUser } from '../../organization/users/service'
import { recordTransferIn } from './audit'
import {
  changeSightIn,
  changeTransferIn,
  conversationOf,
  publishTransferIn,
  updateTransferIn,
} from './change'
import { TransferEnded } from './events'
import { transferViewOf } from './load-views'
import type { TransferView } from './model'
import { offerToIn } from './offer'
import { getListableTransfer } from './queries'
import { requireActive } from './references'
import { breachDueAtMs, type TransferRow } from './rules'

/** How a transfer ends. */
export interface TransferEnd {
  status: 'resumed' | 'expired'
  /** Why, if no person ended it. */
  reason?: string
  notes?: string | null | undefined
}

/**
 * Ends an active transfer and publishes it. The caller changes its conversation. Runs inside the
 * caller's transaction. Returns the new row.
 */
export function endTransferIn(
  tx: Tx,
  ctx: Ctx,
  active: TransferRow,
  { status, reason, notes }: TransferEnd,
): TransferRow {
  const before = breachIfMissedIn(tx, ctx, active)
  const after = updateTransferIn(tx, ctx, before, {
    status,
    endedAtMs: ctx.clock.nowMs(),
    endedBy: ctx.actor.userId,
    endReason: reason ?? null,
    pausedAtMs: null,
    ...(notes === undefined ? {} : { notes }),
  })
  publishTransferIn(
    tx,
    ctx,
    after,
    {
      kind: status,
      changed: ['status', ...(notes === undefined ? [] : ['notes'])],
      details: reason === undefined ? {} : { reason },
    },
    before,
  )
  recordTransferIn(tx, ctx, 'resumed', { before, after })
  runHooks(tx, ctx, TransferEnded, { transfer: after })
  if (after.agentId !== null) offerToIn(tx, ctx, after.agentId)
  return after
}

/** Marks the SLA of a transfer as missed if it is and that has not been noticed yet. */
function breachIfMissedIn(tx: Tx, ctx: Ctx, row: TransferRow): TransferRow {
  const dueAtMs = breachDueAtMs(row)
  const untilMs = row.pausedAtMs ?? ctx.clock.nowMs()
  return dueAtMs !== null && dueAtMs < untilMs ? breachIn(tx, ctx, row) : row
}

/** Marks the SLA of a transfer as missed and publishes it. Runs inside the caller's transaction. */
export const breachIn = (tx: Tx, ctx: Ctx, row: TransferRow): TransferRow =>
  changeTransferIn(
    tx,
    ctx,
    row,
    { breachedAtMs: ctx.clock.nowMs() },
    { kind: 'sla_breached', changed: ['sla_breached', 'sla_breached_at'] },
  )

/**
 * Ends a transfer so that the bot answers again: closes its conversation, which keeps only the
 * contact's own assignee. Runs inside the caller's transaction.
 */
export function resumeIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  end: Omit<TransferEnd, 'status'>,
): void {
  changeSightIn(tx, ctx, before.contactId, () => {
    endTransferIn(tx, ctx, before, { ...end, status: 'resumed' })
    const conversation = conversationOf(ctx, before)
    if (conversation)
      changeConversationIn(tx, ctx, conversation, {
        state: 'closed',
        closedAtMs: ctx.clock.nowMs(),
        snoozedUntilMs: null,
        assignedTo: activeOwnerOf(ctx, conversation),
        teamId: null,
      })
  })
}

/** Ends a transfer whose customer was silent, and closes its conversation. */
export function expireIn(tx: Tx, ctx: Ctx, before: TransferRow): void {
  changeSightIn(tx, ctx, before.contactId, () => {
    endTransferIn(tx, ctx, before, { status: 'expired' })
    const conversation = conversationOf(ctx, before)
    if (conversation)
      changeConversationIn(tx, ctx, conversation, {
        state: 'closed',
        closedAtMs: ctx.clock.nowMs(),
        snoozedUntilMs: null,
      })
  })
}

/**
 * Ends a transfer on request of its agent, or of a caller with `transfers:assign`. Throws
 * NotFoundError, ForbiddenError and ConflictError `transfer_ended`.
 */
export function resumeTransfer(
  ctx: Ctx,
  id: string,
  { notes }: { notes?: string | null | undefined },
): TransferView {
  return transact(ctx.db, (tx) => {
    const before = getListableTransfer(ctx, id)
    requireOwnTransfer(ctx, before)
    requireActive(before)
    resumeIn(tx, ctx, before, { notes })
    return transferViewOf(ctx, id)
  })
}

/**
 * Requires that a transfer is the caller's own, or that the caller has `transfers:assign`. Throws
 * ForbiddenError with the name of its agent.
 */
export function requireOwnTransfer(ctx: Ctx, { agentId }: TransferRow): void {
  const isOwn = agentId !== null && agentId === ctx.actor.userId
  if (isOwn || hasPermission(ctx.actor, 'transfers:assign')) return
  const name = agentId === null ? null : (findUser(ctx, agentId)?.fullName ?? null)
  throw new ForbiddenError(
    agentId === null
      ? 'This transfer waits in a queue. Pick it up first, or ask for the permission ' +
          '`transfers:assign`.'
      : `This transfer is assigned to ${name ?? 'someone else'}. Changing it requires the ` +
          'permission `transfers:assign`.',
    {
      code: 'permission_denied',
      details: { assigned_to: agentId, assigned_user_name: name },
    },
  )
}
