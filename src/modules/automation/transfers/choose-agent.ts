import type { Ctx } from '../../../infra/ctx'
import { effectiveSettings } from '../chatbot-settings/effective'
import {
  findActiveMember,
  findMembership,
  type MembershipRights,
} from '../../organization/memberships/find'
import { permissionsOfRole } from '../../organization/roles/service'
import { eligibleMembers, type TeamRow } from '../../inbox/teams/find'
import { findUser } from '../../organization/users/service'
import { loadOf } from './find'
import { chooseCandidate, hasCapacity, letWork, type AgentCandidate } from './rules'

const NO_LOAD = { active: 0, activeInTeam: 0 }

/** Whether a person accepts new work now: an active member who is available. */
export const isAvailable = (ctx: Ctx, userId: string): boolean =>
  findActiveMember(ctx, userId) !== null &&
  acceptsWork(findMembership(ctx, { organizationId: ctx.organizationId, userId }))

const acceptsWork = (membership: MembershipRights | null): boolean =>
  membership?.isAvailable === true && membership.isConfirmed

/** Whether a role lets its members work on transfers. */
export const roleLetsWork = (ctx: Ctx, roleId: string): boolean =>
  letWork(permissionsOfRole(ctx, roleId))

/** Whether the role of a member lets them work on transfers. */
export function mayWork(ctx: Ctx, userId: string): boolean {
  const membership = findMembership(ctx, { organizationId: ctx.organizationId, userId })
  if (membership === null) return false
  return findUser(ctx, userId)?.isSuperAdmin === true || roleLetsWork(ctx, membership.roleId)
}

/** Whether a person can take another transfer of a team, or of the general queue for `null`. */
export function hasRoom(ctx: Ctx, userId: string, team: TeamRow | null): boolean {
  const load = loadOf(ctx, [userId], team?.id ?? null).get(userId) ?? NO_LOAD
  return hasCapacity(load, limitsOf(ctx, team))
}

const limitsOf = (ctx: Ctx, team: TeamRow | null) => ({
  perAgent: effectiveSettings(ctx, null).agent_max_active_transfers,
  perAgentInTeam: team?.maxActivePerAgent ?? null,
})

/**
 * Returns the members of a team who can be given a transfer: available, active, with a role that
 * suffices, below capacity and not among `except`. Nobody, if the team assigns by hand.
 */
export function candidatesOf(
  ctx: Ctx,
  team: TeamRow,
  except: ReadonlySet<string> = new Set(),
): AgentCandidate[] {
  if (!team.isActive || team.assignmentStrategy === 'manual') return []
  const eligible = eligibleMembers(ctx, team.id)
  const roleIds = [...new Set(eligible.map(({ roleId }) => roleId))]
  const sufficient = new Set(roleIds.filter((roleId) => roleLetsWork(ctx, roleId)))
  const members = eligible.filter(
    ({ userId, roleId, isSuperAdmin }) =>
      !except.has(userId) && (isSuperAdmin || sufficient.has(roleId)),
  )
  const loads = loadOf(
    ctx,
    members.map(({ userId }) => userId),
    team.id,
  )
  const limits = limitsOf(ctx, team)
  return members
    .map(({ userId, lastAssignedAtMs }): AgentCandidate => ({
      userId,
      lastAssignedAtMs,
      ...(loads.get(userId) ?? NO_LOAD),
    }))
    .filter((candidate) => hasCapacity(candidate, limits))
}

/**
 * Returns the candidate whose turn it is by the strategy of the team, or `null` if there is none.
 */
export const chooseFromTeam = (
  ctx: Ctx,
  team: TeamRow,
  except?: ReadonlySet<string>,
): string | null =>
  chooseCandidate(team.assignmentStrategy, candidatesOf(ctx, team, except))?.userId ?? null

/**
 * Returns who gets a new transfer that names nobody: a member of its team by the team's strategy;
 * without a team, the contact's assignee if the settings say so and they are available, may work on it
 * and are below capacity. `null` = it waits in the queue.
 */
export function chooseAgent(
  ctx: Ctx,
  { team, ownerId }: { team: TeamRow | null; ownerId: string | null },
): string | null {
  if (team) return chooseFromTeam(ctx, team)
  if (ownerId === null || !effectiveSettings(ctx, null).assign_to_same_agent) return null
  const accepts = isAvailable(ctx, ownerId) && mayWork(ctx, ownerId)
  return accepts && hasRoom(ctx, ownerId, null) ? ownerId : null
}
