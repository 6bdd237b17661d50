import { and, asc, count, eq, exists, inArray, sql } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { Page } from '../../../lib/page'
import type { Actor } from '../../../infra/actor'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { memberships } from '../../organization/memberships/table'
import { users } from '../../organization/users/table'
import { transfers } from '../../automation/transfers/table'
import { requireSeesTeam } from './access'
import { membershipOfMember, type TeamRow } from './find'
import type { TeamMemberView, TeamView } from './model'
import { teamMembers, teams } from './table'

/** Returns a page of all teams with `teams:read`, otherwise of the caller's own teams, by name. */
export function listTeams(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    purpose?: 'hand_over' | undefined
  },
): Page<TeamView> & { teams: TeamView[] } {
  const ownRow = ctx.db.orm
    .select({ one: sql`1` })
    .from(teamMembers)
    .where(
      inOrganization(
        ctx,
        teamMembers,
        eq(teamMembers.teamId, teams.id),
        eq(teamMembers.userId, ctx.actor.userId ?? ''),
      ),
    )
  const isForHandOver = query.purpose === 'hand_over'
  const seesAll =
    hasPermission(ctx.actor, 'teams:read') || (isForHandOver && mayHandOver(ctx.actor))
  const page = of(ctx, teams).page(query, {
    where: [
      { deletedAtMs: null, ...(isForHandOver ? { isActive: true } : {}) },
      seesAll ? undefined : exists(ownRow),
      query.search === undefined ? undefined : holdsText(teams.nameKey, query.search),
    ],
    order: [asc(teams.nameKey)],
    views: (rows) => teamViews(ctx, rows),
  })
  return { ...page, teams: page.items }
}

/** Whether the actor can give conversations to teams. */
const mayHandOver = (actor: Actor): boolean =>
  hasPermission(actor, 'transfers:create') || hasPermission(actor, 'transfers:assign')

/** Returns a team that the caller may see. Throws NotFoundError and ForbiddenError. */
export const getTeam = (ctx: Ctx, id: string): { team: TeamView; members: TeamMemberView[] } => ({
  team: teamView(ctx, requireSeesTeam(ctx, id)),
  members: memberViews(ctx, id),
})

/** Returns the members of a team. Throws NotFoundError and ForbiddenError. */
export function listTeamMembers(ctx: Ctx, id: string): { members: TeamMemberView[] } {
  requireSeesTeam(ctx, id)
  return { members: memberViews(ctx, id) }
}

/** Returns a team as the API shows it. */
export const teamView = (ctx: Ctx, row: TeamRow): TeamView => teamViews(ctx, [row])[0] as TeamView // one view per row

function teamViews(ctx: Ctx, rows: TeamRow[]): TeamView[] {
  const sizes = sizesOf(
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    assignment_strategy: row.assignmentStrategy,
    is_active: row.isActive,
    per_agent_timeout_secs: row.perAgentTimeoutS,
    max_active_per_agent: row.maxActivePerAgent,
    member_count: sizes.get(row.id) ?? 0,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }))
}

/** Returns the number of members of each team that has any. */
const sizesOf = (ctx: Ctx, teamIds: string[]): Map<string, number> =>
  new Map(
    ctx.db.orm
      .select({ id: teamMembers.teamId, members: count() })
      .from(teamMembers)
      .where(inOrganization(ctx, teamMembers, inArray(teamMembers.teamId, teamIds)))
      .groupBy(teamMembers.teamId)
      .all()
      .map(({ id, members }) => [id, members]),
  )

/** Counts the active transfers that a member has in the team of the row. */
const countOfTransfers = (ctx: Ctx) =>
  sql<number>`(select count(*) from ${transfers} where ${inOrganization(
    ctx,
    transfers,
    eq(transfers.agentId, teamMembers.userId),
    eq(transfers.teamId, teamMembers.teamId),
    // Written without a parameter, so that the partial index applies.
    sql`${transfers.status} = 'active'`,
  )})`

/** Returns the members of a team as the API shows them, by name; one of them if `userId` is set. */
export const memberViews = (ctx: Ctx, teamId: string, userId?: string): TeamMemberView[] =>
  ctx.db.orm
    .select({
      member: teamMembers,
      fullName: users.fullName,
      email: users.email,
      isActive: memberships.isActive,
      isDisabled: memberships.isDisabled,
      isAvailable: memberships.isAvailable,
      activeTransfers: countOfTransfers(ctx),
    })
    .from(teamMembers)
    .innerJoin(memberships, membershipOfMember)
    .innerJoin(users, eq(users.id, teamMembers.userId))
    .where(
      inOrganization(
        ctx,
        teamMembers,
        and(
          eq(teamMembers.teamId, teamId),
          userId === undefined ? undefined : eq(teamMembers.userId, userId),
        ),
      ),
    )
    .orderBy(asc(memberships.words))
    .all()
    .map(({ member, fullName, email, isActive, isDisabled, isAvailable, activeTransfers }) => ({
      id: member.id,
      user_id: member.userId,
      full_name: fullName,
      email,
      role: member.role,
      is_available: isActive && !isDisabled && isAvailable,
      active_transfers: activeTransfers,
      last_assigned_at: isoTimeOrNull(member.lastAssignedAtMs),
    }))
