import { and, asc, desc, inArray, isNull, or } from 'drizzle-orm'

import { ConflictError, ForbiddenError, NotFoundError } from '../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { effectiveSettings } from '../chatbot-settings/effective'
import { activeTeamsOf, findTeam, findTeamMember, type TeamRow } from '../../inbox/teams/find'
import { recordTransferIn } from './audit'
import { hasRoom } from './choose-agent'
import { findTransfer, isActiveTransfer } from './find'
import { transferViewOf } from './load-views'
import type { TransferView } from './model'
import { moveTransferIn } from './move'
import { getListableTransfer } from './queries'
import { alreadyAssigned, requireActive } from './references'
import type { TransferRow } from './rules'
import { transfers } from './table'

const atCapacity = (): ConflictError =>
  new ConflictError('You have as many active transfers as you can have. End one first.', {
    code: 'at_capacity',
  })

/** Throws ForbiddenError `pickup_disabled` if the settings keep agents from picking up transfers. */
function requirePickup(ctx: Ctx): void {
  if (!effectiveSettings(ctx, null).allow_agent_queue_pickup)
    throw new ForbiddenError('Picking up transfers is switched off. They are assigned to you.', {
      code: 'pickup_disabled',
    })
}

/** Whether a queue is the general one or that of a team of the caller. */
const isOwnQueue = (ctx: Ctx, teamId: string | null): boolean =>
  teamId === null || findTeamMember(ctx, { teamId, userId: ctx.actor.userId ?? '' }) !== null

const notInTeam = (): ForbiddenError =>
  new ForbiddenError('Only members of this team can pick up its transfers.', {
    code: 'not_in_team',
  })

/**
 * Whether the caller can take a waiting transfer: anyone's with `transfers:assign`, otherwise, with
 * `transfers:pickup`, one of an own queue.
 */
export const mayPickUp = (ctx: Ctx, { teamId }: Pick<TransferRow, 'teamId'>): boolean =>
  hasPermission(ctx.actor, 'transfers:assign') ||
  (hasPermission(ctx.actor, 'transfers:pickup') && isOwnQueue(ctx, teamId))

/**
 * Requires that the caller can take this waiting transfer now. Throws ForbiddenError
 * (`pickup_disabled`, `not_in_team`) and ConflictError `at_capacity`.
 */
export function requireMayTake(ctx: Ctx, { teamId }: Pick<TransferRow, 'teamId'>): void {
  if (!hasPermission(ctx.actor, 'transfers:assign')) {
    requirePickup(ctx)
    if (!isOwnQueue(ctx, teamId)) throw notInTeam()
  }
  const team = teamId === null ? null : findTeam(ctx, teamId)
  if (!hasRoom(ctx, ctx.actor.userId ?? '', team)) throw atCapacity()
}

/** Gives a waiting transfer to the caller. Runs inside the caller's transaction. */
export function takeIn(tx: Tx, ctx: Ctx, before: TransferRow): TransferRow {
  const after = moveTransferIn(tx, ctx, before, {
    agentId: ctx.actor.userId,
    teamId: before.teamId,
    kind: 'picked_up',
  })
  recordTransferIn(tx, ctx, 'claimed', { before, after })
  return after
}

/**
 * Picks up the next waiting transfer of the caller's queues, or of one queue (a team ID or
 * `general`): highest priority, then oldest. Returns `null` if none waits. Throws ForbiddenError
 * (`pickup_disabled`, `not_in_team`), NotFoundError for an unknown team and ConflictError
 * `at_capacity`.
 */
export function pickUpNext(ctx: Ctx, queue: string | undefined): TransferView | null {
  return transact(ctx.db, (tx) => {
    requirePickup(ctx)
    const open = openQueues(ctx, queue)
    const row = nextWaitingIn(tx, ctx, open)
    return row && transferViewOf(ctx, takeIn(tx, ctx, row).id)
  })
}

/** Returns the queues from which the caller can take one more. Throws as {@link pickUpNext}. */
function openQueues(ctx: Ctx, queue: string | undefined): (string | null)[] {
  const userId = ctx.actor.userId ?? ''
  const open = queuesOf(ctx, queue).filter((team) => hasRoom(ctx, userId, team))
  if (open.length === 0) throw atCapacity()
  return open.map((team) => team?.id ?? null)
}

function queuesOf(ctx: Ctx, queue: string | undefined): (TeamRow | null)[] {
  if (queue === 'general') return [null]
  if (queue === undefined)
    return [
      null,
      ...activeTeamsOf(ctx, ctx.actor.userId ?? '')
        .map((id) => findTeam(ctx, id))
        .filter((team) => team !== null),
    ]
  const team = findTeam(ctx, queue)
  if (!team) throw new NotFoundError('Team')
  if (!isOwnQueue(ctx, team.id)) throw notInTeam()
  return [team]
}

/** Returns the waiting transfer of these queues whose turn it is, or `null`. */
function nextWaitingIn(tx: Tx, ctx: Ctx, queues: (string | null)[]): TransferRow | null {
  const teamIds = queues.filter((id) => id !== null)
  const isIn = or(
    queues.includes(null) ? isNull(transfers.teamId) : undefined,
    teamIds.length === 0 ? undefined : inArray(transfers.teamId, teamIds),
  )
  return (
    tx
      .select()
      .from(transfers)
      .where(inOrganization(ctx, transfers, and(isActiveTransfer, isNull(transfers.agentId), isIn)))
      .orderBy(desc(transfers.priority), asc(transfers.transferredAtMs), asc(transfers.id))
      .limit(1)
      .get() ?? null
  )
}

/**
 * Picks up one transfer. A caller who already has it gets it again. Throws NotFoundError, ForbiddenError
 * (`pickup_disabled`, `not_in_team`) and ConflictError (`already_assigned`, `at_capacity`,
 * `transfer_ended`).
 */
export function pickUp(ctx: Ctx, id: string): TransferView {
  return transact(ctx.db, (tx) => {
    const before = getTakeable(ctx, id)
    requireActive(before)
    if (before.agentId === null) {
      requireMayTake(ctx, before)
      takeIn(tx, ctx, before)
    } else if (before.agentId !== ctx.actor.userId) throw alreadyAssigned(ctx, before.agentId)
    return transferViewOf(ctx, id)
  })
}

/**
 * Returns a transfer the caller may list, or could take until somebody else took it. Throws
 * NotFoundError.
 */
export function getTakeable(ctx: Ctx, id: string): TransferRow {
  const row = findTransfer(ctx, id)
  const wasWaiting = row?.status === 'active' && row.agentId !== null && mayPickUp(ctx, row)
  return wasWaiting ? row : getListableTransfer(ctx, id)
}
