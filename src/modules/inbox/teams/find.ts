import { and, asc, eq, isNull, sql } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../lib/errors'
import { anyScope, inOrganization } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { memberships } from '../../organization/memberships/table'
import { users } from '../../organization/users/table'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { teamMembers, teams } from './table'

/** A row of the teams table. */
export type TeamRow = typeof teams.$inferSelect

/** A row of the team_members table. */
export type TeamMemberRow = typeof teamMembers.$inferSelect

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

const byId = compiled((orm) =>
  orm
    .select()
    .from(teams)
    .where(
      inOrganization(
        anyScope,
        teams,
        and(eq(teams.id, place(teams.id, 'id')), isNull(teams.deletedAtMs)),
      ),
    )
    .prepare(),
)

/** Returns a team, active or not, or `null` if it is unknown or deleted. */
export const findTeam = (ctx: Scope, id: string): TeamRow | null =>
  byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/** Requires an active team. Throws InvalidError that names the field of the request. */
export function requireActiveTeam(ctx: Scope, id: string, path: string): void {
  const team = findTeam(ctx, id)
  if (team?.isActive) return
  const message = team ? 'is an inactive team' : 'is not a team of this organization'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })
}

const memberOf = compiled((orm) =>
  orm
    .select()
    .from(teamMembers)
    .where(
      inOrganization(
        anyScope,
        teamMembers,
        and(
          eq(teamMembers.teamId, place(teamMembers.teamId, 'teamId')),
          eq(teamMembers.userId, place(teamMembers.userId, 'userId')),
        ),
      ),
    )
    .prepare(),
)

/** Returns a user's membership of a team, or `null`. */
export const findTeamMember = (
  ctx: Scope,
  at: { teamId: string; userId: string },
): TeamMemberRow | null =>
  memberOf(ctx.db).get({ organizationId: ctx.organizationId, ...at }) ?? null

/** Joins a member of a team with the membership of the organization. */
export const membershipOfMember = and(
  eq(memberships.organizationId, teamMembers.organizationId),
  eq(memberships.userId, teamMembers.userId),
)

const eligible = compiled((orm) =>
  orm
    .select({
      userId: teamMembers.userId,
      roleId: memberships.roleId,
      isSuperAdmin: users.isSuperAdmin,
      lastAssignedAtMs: teamMembers.lastAssignedAtMs,
    })
    .from(teamMembers)
    .innerJoin(memberships, membershipOfMember)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        anyScope,
        teamMembers,
        and(
          eq(teamMembers.teamId, place(teamMembers.teamId, 'teamId')),
          eq(memberships.isActive, true),
          eq(memberships.isDisabled, false),
          eq(memberships.isConfirmed, true),
          eq(memberships.isAvailable, true),
        ),
      ),
    )
    // SQLite sorts null first: members who were never given anything.
    .orderBy(asc(teamMembers.lastAssignedAtMs), asc(teamMembers.userId))
    .prepare(),
)

/** A member of a team with what tells whether the role suffices for the work. */
interface EligibleMember {
  userId: string
  roleId: string
  isSuperAdmin: boolean
  lastAssignedAtMs: number | null
}

/**
 * Returns the members of a team who accept work now: confirmed, available, neither suspended nor disabled. The
 * member who was given a transfer longest ago comes first.
 *
 * @public
 */
export const eligibleMembers = (ctx: Scope, teamId: string): EligibleMember[] =>
  eligible(ctx.db).all({ organizationId: ctx.organizationId, teamId })

const activeTeams = compiled((orm) =>
  orm
    .select({ id: teamMembers.teamId })
    .from(teamMembers)
    .innerJoin(
      teams,
      and(eq(teams.organizationId, teamMembers.organizationId), eq(teams.id, teamMembers.teamId)),
    )
    .where(
      inOrganization(
        anyScope,
        teamMembers,
        and(
          eq(teamMembers.userId, place(teamMembers.userId, 'userId')),
          sql`${teams.isActive} = 1`,
        ),
      ),
    )
    .prepare(),
)

/** Returns the active teams of a user. */
export const activeTeamsOf = (ctx: Scope, userId: string): string[] =>
  activeTeams(ctx.db)
    .all({ organizationId: ctx.organizationId, userId })
    .map(({ id }) => id)

const members = compiled((orm) =>
  orm
    .select({ userId: teamMembers.userId, role: teamMembers.role })
    .from(teamMembers)
    .where(
      inOrganization(
        anyScope,
        teamMembers,
        eq(teamMembers.teamId, place(teamMembers.teamId, 'teamId')),
      ),
    )
    .prepare(),
)

/** Returns the members of a team with their roles. */
export const membersOf = (ctx: Scope, teamId: string): Pick<TeamMemberRow, 'userId' | 'role'>[] =>
  members(ctx.db).all({ organizationId: ctx.organizationId, teamId })
