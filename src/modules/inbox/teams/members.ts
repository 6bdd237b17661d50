import { eq } from 'drizzle-orm'

import { ConflictError, InvalidError, NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { runHooks } from '../../../infra/transaction-hooks'
import { recordAudit } from '../../organization/audit/record'
import { PermissionsChanged } from '../../organization/memberships/events'
import { findMembership } from '../../organization/memberships/find'
import { findUser } from '../../organization/users/service'
import { requireManagesTeam, requireMayChangeManagers } from './access'
import { TeamChanged } from './events'
import { findTeamMember, type TeamMemberRow, type TeamRow } from './find'
import type { NewTeamMember, TeamMemberAnswer, TeamRole } from './model'
import { memberViews } from './queries'
import { teamMembers } from './table'

/** Maximum number of members of a team. */
export const MAX_MEMBERS = 500

/** A member of a team, by the IDs of both. */
interface MemberKey {
  teamId: string
  userId: string
}

/**
 * Adds a member of the organization to a team. Throws NotFoundError, ForbiddenError
 * `permission_denied`, InvalidError `not_a_member` and `too_many_members`, and ConflictError
 * `already_member`.
 */
export function addTeamMember(ctx: Ctx, teamId: string, input: NewTeamMember): TeamMemberAnswer {
  return transact(ctx.db, (tx) => {
    const team = requireManagesTeam(ctx, teamId)
    const role = input.role ?? 'agent'
    if (role === 'manager') requireMayChangeManagers(ctx)
    const key = { teamId, userId: input.user_id }
    if (!findMembership(ctx, { organizationId: ctx.organizationId, userId: input.user_id }))
      throw new InvalidError('`user_id` must be a member of this organization.', {
        code: 'not_a_member',
        errors: [{ path: 'body.user_id', message: 'is not a member of this organization' }],
      })
    if (findTeamMember(ctx, key))
      throw new ConflictError('This user is already a member of the team.', {
        code: 'already_member',
      })
    if (of(ctx, teamMembers).count({ teamId }) >= MAX_MEMBERS)
      throw new ConflictError(`A team can have up to ${MAX_MEMBERS} members.`, {
        code: 'limit_reached',
      })
    const added = { ...key, id: ctx.ids.next(), role, createdAtMs: ctx.clock.nowMs() }
    const row = of(ctx, teamMembers).insert(tx, added)
    recordMemberIn(tx, ctx, { team, action: 'member_added', before: null, after: row })
    publishSightChangeIn(tx, ctx, team, [row.userId])
    if (team.isActive) runHooks(tx, ctx, TeamChanged, { teamId })
    return answerOf(ctx, key)
  })
}

/**
 * Changes the role of a member in a team. Throws NotFoundError and ForbiddenError
 * `permission_denied`.
 */
export function changeTeamMember(ctx: Ctx, key: MemberKey, role: TeamRole): TeamMemberAnswer {
  return transact(ctx.db, (tx) => {
    const { team, before } = requireMember(ctx, key)
    if (before.role !== role) {
      requireMayChangeManagers(ctx) // one of both roles is the manager's
      const [after = null] = of(ctx, teamMembers).update(tx, { ...key }, { role })
      recordMemberIn(tx, ctx, { team, action: 'role_changed', before, after })
    }
    return answerOf(ctx, key)
  })
}

/** Removes a member from a team. Throws NotFoundError and ForbiddenError `permission_denied`. */
export function removeTeamMember(ctx: Ctx, key: MemberKey): void {
  transact(ctx.db, (tx) => {
    const { team, before } = requireMember(ctx, key)
    if (before.role === 'manager') requireMayChangeManagers(ctx)
    of(ctx, teamMembers).delete(tx, { ...key })
    recordMemberIn(tx, ctx, { team, action: 'member_removed', before, after: null })
    publishSightChangeIn(tx, ctx, team, [key.userId])
  })
}

/**
 * Ends every team membership of a user, in the transaction that ends the membership of the
 * organization. Returns the number of teams.
 */
export function leaveTeamsIn(tx: Tx, ctx: Ctx, userId: string): number {
  return tx
    .delete(teamMembers)
    .where(inOrganization(ctx, teamMembers, eq(teamMembers.userId, userId)))
    .returning({ id: teamMembers.id })
    .all().length
}

/** Returns a team that the caller may change, and a member of it. */
function requireMember(ctx: Ctx, key: MemberKey): { team: TeamRow; before: TeamMemberRow } {
  const team = requireManagesTeam(ctx, key.teamId)
  const before = findTeamMember(ctx, key)
  if (!before) throw new NotFoundError('Member')
  return { team, before }
}

function recordMemberIn(
  tx: Tx,
  ctx: Ctx,
  change: {
    team: TeamRow
    action: 'member_added' | 'member_removed' | 'role_changed'
    before: TeamMemberRow | null
    after: TeamMemberRow | null
  },
): void {
  const { team, before, after } = change
  const userId = after?.userId ?? before?.userId ?? ''
  recordAudit(tx, ctx, {
    action: change.action,
    resourceType: 'team',
    resourceId: team.id,
    resourceName: team.name,
    changes: [
      { field: 'member', old_value: null, new_value: findUser(ctx, userId)?.fullName ?? userId },
      { field: 'role', old_value: before?.role ?? null, new_value: after?.role ?? null },
    ],
  })
}

const answerOf = (ctx: Ctx, { teamId, userId }: MemberKey): TeamMemberAnswer => {
  const [member] = memberViews(ctx, teamId, userId)
  if (!member) throw new NotFoundError('Member')
  return { member }
}

/**
 * Publishes to users that they see other contacts than before, because they joined or left a team,
 * or because the team was activated or closed. Runs inside the caller's transaction. Publishes
 * nothing about an inactive team, which shows nothing.
 */
export function publishSightChangeIn(
  tx: Tx,
  ctx: Ctx,
  team: Pick<TeamRow, 'isActive'>,
  userIds: string[],
): void {
  if (!team.isActive) return
  for (const userId of userIds)
    emit(tx, ctx, PermissionsChanged, {
      contactId: null,
      payload: { userId, reason: 'team_changed' },
    })
}
