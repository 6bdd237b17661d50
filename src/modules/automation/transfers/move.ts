import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { notifyIn } from '../../organization/notifications/service'
import { findTeam, findTeamMember } from '../../inbox/teams/find'
import { recordAssignmentIn } from '../../inbox/teams/record-assignment'
import {
  changeConversationOfIn,
  changeSightIn,
  conversationOf,
  publishTransferIn,
  updateTransferIn,
  type TransferFields,
} from './change'
import { agentDeadline, silenceClocks, silentSinceMs } from './clocks'
import { TransferStarted } from './events'
import { holdsBot } from './find'
import type { TransferRow } from './rules'
import { noticeText } from '../../organization/notifications/catalog'

/** Where a transfer goes, and how that is reported. */
export interface TransferMove {
  agentId: string | null
  teamId: string | null
  kind: 'picked_up' | 'assigned' | 'returned'
  /** Why it moves if no person moves it. */
  reason?: string
  /** Whether its agent had it long enough, or gave it back, and is not offered it again. */
  passesOver?: boolean
}

/**
 * Gives an active transfer to a person or to a queue, its conversation with it, and publishes both.
 * Runs inside the caller's transaction. Returns the new row.
 */
export function moveTransferIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  move: TransferMove,
): TransferRow {
  const { agentId, teamId } = move
  const after = changeSightIn(tx, ctx, before.contactId, () => {
    const moved = updateTransferIn(tx, ctx, before, fieldsOf(ctx, before, move))
    changeConversationOfIn(tx, ctx, moved, { assignedTo: agentId, teamId })
    return moved
  })
  reportMoveIn(tx, ctx, move, { before, after })
  return after
}

/**
 * Moves a transfer along with its conversation, which has been assigned already; the caller
 * publishes who sees its contact. Runs inside the caller's transaction. Returns the new row.
 */
export function followConversationIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  move: TransferMove,
): TransferRow {
  const after = updateTransferIn(tx, ctx, before, fieldsOf(ctx, before, move))
  reportMoveIn(tx, ctx, move, { before, after })
  return after
}

/** Publishes a move, and tells the new agent. */
function reportMoveIn(
  tx: Tx,
  ctx: Ctx,
  move: TransferMove,
  { before, after }: { before: TransferRow; after: TransferRow },
): void {
  const { agentId, teamId } = move
  publishTransferIn(
    tx,
    ctx,
    after,
    {
      kind: move.kind,
      changed: [
        ...(before.agentId === agentId ? [] : ['agent_id']),
        ...(before.teamId === teamId ? [] : ['team_id']),
      ],
      details: move.reason === undefined ? {} : { reason: move.reason },
    },
    before,
  )
  if (agentId !== null && agentId !== before.agentId) assignedIn(tx, ctx, after, agentId)
  if (holdsBot(after) && !holdsBot(before)) runHooks(tx, ctx, TransferStarted, { transfer: after })
}

function fieldsOf(ctx: Ctx, before: TransferRow, move: TransferMove): TransferFields {
  const { agentId, teamId, passesOver = false } = move
  const team = teamId === null ? null : findTeam(ctx, teamId)
  const isNewAgent = agentId !== before.agentId
  const passed = JSON.parse(before.passedOver) as string[]
  const moved = { ...before, agentId, teamId }
  return {
    agentId,
    teamId,
    ...(isNewAgent
      ? {
          pickedUpAtMs: agentId === null ? null : ctx.clock.nowMs(),
          agentDueAtMs:
            agentId === null || before.firstResponseAtMs !== null ? null : agentDeadline(ctx, team),
        }
      : {}),
    ...(passesOver && before.agentId !== null && !passed.includes(before.agentId)
      ? { passedOver: JSON.stringify([...passed, before.agentId]) }
      : {}),
    // A paused transfer gets its clocks back when its conversation wakes.
    ...(before.pausedAtMs === null
      ? silenceClocks(ctx, moved, silentSinceMs(conversationOf(ctx, before)))
      : {}),
  }
}

/**
 * Records for its team that a person was given a transfer, and notifies the person unless they took
 * it themselves. Runs inside the caller's transaction.
 */
export function assignedIn(tx: Tx, ctx: Ctx, transfer: TransferRow, userId: string): void {
  const { teamId } = transfer
  if (teamId !== null && findTeamMember(ctx, { teamId, userId }))
    recordAssignmentIn(tx, ctx, { teamId, userId })
  notifyAssignedIn(tx, ctx, { userId, conversationId: conversationOf(ctx, transfer)?.id ?? null })
}

/** Notifies a person of a conversation that they got. Runs inside the caller's transaction. */
export function notifyAssignedIn(
  tx: Tx,
  ctx: Ctx,
  { userId, conversationId }: { userId: string; conversationId: string | null },
): void {
  if (ctx.actor.userId === userId) return
  notifyIn(tx, ctx, {
    userId,
    kind: 'assigned',
    severity: 'info',
    title: 'A conversation was assigned to you',
    text:
      ctx.actor.userName === null
        ? noticeText('assigned')
        : noticeText('assigned_by', { by: ctx.actor.userName }),
    body:
      ctx.actor.userName === null
        ? 'A customer waits for your answer.'
        : `${ctx.actor.userName} assigned it to you.`,
    ...(conversationId === null ? {} : { link: `/inbox/${conversationId}` }),
  })
}
