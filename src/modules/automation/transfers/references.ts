import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { findActiveMember } from '../../organization/memberships/find'
import { findTeam, type TeamRow } from '../../inbox/teams/find'
import { findUser } from '../../organization/users/service'
import { hasRoom, isAvailable, mayWork } from './choose-agent'
import type { TransferRow } from './rules'

const invalid = (code: string, message: string, path: string, problem: string): InvalidError =>
  new InvalidError(message, { code, errors: [{ path, message: problem }] })

/** The words of requests for the general queue. */
const GENERAL = 'general'

/**
 * Returns the team that a request names; `null` for the general queue. Throws InvalidError
 * (`invalid_input`, `team_inactive`).
 */
export function requestedTeam(ctx: Ctx, teamId: string | null): TeamRow | null {
  if (teamId === null || teamId === GENERAL) return null
  const team = findTeam(ctx, teamId)
  if (!team)
    throw invalid('invalid_input', 'This team does not exist.', 'body.team_id', 'is not a team')
  if (!team.isActive)
    throw invalid(
      'team_inactive',
      `The team ${team.name} is inactive. Choose another one.`,
      'body.team_id',
      'is an inactive team',
    )
  return team
}

/**
 * Requires that the person named by a request is an active member who is available and whose role
 * suffices. Throws
 * InvalidError (`not_a_member`, `agent_unavailable`).
 */
export function requireAvailable(ctx: Ctx, userId: string): void {
  const member = findActiveMember(ctx, userId)
  if (!member)
    throw invalid(
      'not_a_member',
      '`agent_id` must be an active member of this organization.',
      'body.agent_id',
      'is not an active member',
    )
  if (!mayWork(ctx, userId))
    throw invalid(
      'agent_unavailable',
      `The role of ${member.fullName} does not let them work on transfers.`,
      'body.agent_id',
      'must not work on transfers',
    )
  if (!isAvailable(ctx, userId))
    throw invalid(
      'agent_unavailable',
      `${member.fullName} is away. Choose someone who is available.`,
      'body.agent_id',
      'is away',
    )
}

/**
 * Requires that a person can take another transfer. Throws InvalidError `agent_at_capacity`.
 */
export function requireRoom(ctx: Ctx, userId: string, team: TeamRow | null): void {
  if (hasRoom(ctx, userId, team)) return
  throw invalid(
    'agent_at_capacity',
    'This person has as many active transfers as they can have.',
    'body.agent_id',
    'is at capacity',
  )
}

/** Returns the error for a transfer that another person has. */
export function alreadyAssigned(ctx: Ctx, agentId: string): ConflictError {
  const name = findUser(ctx, agentId)?.fullName ?? null
  return new ConflictError(`This transfer is already assigned to ${name ?? 'someone else'}.`, {
    code: 'already_assigned',
    details: { assigned_to: agentId, assigned_user_name: name },
  })
}

/** Requires that a transfer is active. Throws ConflictError `transfer_ended`. */
export function requireActive(transfer: TransferRow): void {
  if (transfer.status !== 'active')
    throw new ConflictError('This transfer has ended.', {
      code: 'transfer_ended',
      details: { status: transfer.status },
    })
}
