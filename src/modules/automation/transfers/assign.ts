import { ForbiddenError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { TeamRow } from '../../inbox/teams/find'
import { recordTransferIn } from './audit'
import { chooseFromTeam } from './choose-agent'
import { transferViewOf } from './load-views'
import type { TransferAssignment, TransferView } from './model'
import { moveTransferIn } from './move'
import { offerAfterMovesIn } from './offer-after-moves'
import { getTakeable, requireMayTake, takeIn } from './pick-up'
import { getListableTransfer } from './queries'
import { alreadyAssigned, requestedTeam, requireActive, requireAvailable } from './references'
import type { TransferRow } from './rules'

const mayAssign = (ctx: Ctx): boolean => hasPermission(ctx.actor, 'transfers:assign')

/** Returns the error for a caller who lacks `transfers:assign`. */
const needsAssign = (what: string): ForbiddenError =>
  new ForbiddenError(`${what} requires the permission \`transfers:assign\`.`, {
    code: 'permission_denied',
  })

/** Returns the error for a key that takes a transfer, like a pickup by it. */
const needsPerson = (): ForbiddenError =>
  new ForbiddenError(
    'Taking a transfer requires a user session. An API key needs the permission ' +
      '`transfers:assign` to give it to somebody.',
    { code: 'session_required' },
  )

/**
 * Assigns a transfer to a person or a queue. Without `transfers:assign`, callers can take a waiting
 * transfer of their queues, which is a pickup and needs a person, and give back their own. Throws
 * NotFoundError, ForbiddenError (`permission_denied`, `pickup_disabled`, `not_in_team`,
 * `session_required`), InvalidError (`invalid_input`,
 * `team_inactive`, `not_a_member`, `agent_unavailable`) and ConflictError (`already_assigned`,
 * `at_capacity`, `transfer_ended`).
 */
export function assignTransfer(ctx: Ctx, id: string, wanted: TransferAssignment): TransferView {
  return transact(ctx.db, (tx) => {
    // Who moves transfers of others learns of their contacts, so that these must be visible.
    const before = mayAssign(ctx) ? getListableTransfer(ctx, id) : getTakeable(ctx, id)
    requireActive(before)
    if (mayAssign(ctx)) assignFreelyIn(tx, ctx, before, wanted)
    else assignOwnIn(tx, ctx, before, wanted)
    return transferViewOf(ctx, id)
  })
}

/**
 * Assigns a transfer to any person or queue. Does not check what the caller may do. Runs inside the
 * caller's transaction.
 */
export function assignFreelyIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  { agent_id, team_id }: TransferAssignment,
): void {
  const team = team_id === undefined ? undefined : requestedTeam(ctx, team_id)
  const teamId = team === undefined ? before.teamId : (team?.id ?? null)
  if (agent_id != null && agent_id !== before.agentId) requireAvailable(ctx, agent_id)
  const agentId = agent_id === undefined ? agentOfTeam(ctx, before, team) : agent_id
  if (agentId === before.agentId && teamId === before.teamId) return
  const isPickUp = agentId !== null && agentId === ctx.actor.userId && before.agentId === null
  const kind = agentId === null ? 'returned' : isPickUp ? 'picked_up' : 'assigned'
  // Whose transfer is taken away is not offered it again.
  const after = moveTransferIn(tx, ctx, before, {
    agentId,
    teamId,
    kind,
    passesOver: agent_id === null,
  })
  offerAfterMovesIn(tx, ctx, [{ before, after }])
  recordTransferIn(tx, ctx, kind === 'returned' ? 'released' : 'assigned', { before, after })
}

/** Returns who gets a transfer that is moved to another queue without naming a person. */
const agentOfTeam = (
  ctx: Ctx,
  before: TransferRow,
  team: TeamRow | null | undefined,
): string | null =>
  team === undefined || (team?.id ?? null) === before.teamId
    ? before.agentId
    : team && chooseFromTeam(ctx, team)

function assignOwnIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  { agent_id, team_id }: TransferAssignment,
): void {
  const teamId = team_id === 'general' ? null : team_id
  if (agent_id === undefined || (teamId !== undefined && teamId !== before.teamId))
    throw needsAssign('Moving a transfer to another queue')
  if (agent_id === null) {
    giveBackIn(tx, ctx, before)
    return
  }
  if (agent_id !== ctx.actor.userId) throw needsAssign('Assigning a transfer to someone else')
  if (ctx.actor.type === 'api_key') throw needsPerson()
  if (before.agentId === agent_id) return
  if (before.agentId !== null) throw alreadyAssigned(ctx, before.agentId)
  requireMayTake(ctx, before)
  takeIn(tx, ctx, before)
}

/**
 * Returns the caller's own transfer to its queue; it is not offered to them again. Throws
 * ForbiddenError for a transfer of someone else without `transfers:assign`. Runs inside the caller's
 * transaction.
 */
function giveBackIn(tx: Tx, ctx: Ctx, before: TransferRow): void {
  if (before.agentId === null) return
  if (before.agentId !== ctx.actor.userId)
    throw needsAssign("Returning someone else's transfer to its queue")
  const after = moveTransferIn(tx, ctx, before, {
    agentId: null,
    teamId: before.teamId,
    kind: 'returned',
    passesOver: true,
  })
  offerAfterMovesIn(tx, ctx, [{ before, after }])
  recordTransferIn(tx, ctx, 'released', { before, after })
}
