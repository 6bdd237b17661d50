import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import { numberedPage, type Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { getMemberByUser, readMembers, type Member } from '../../memberships/queries'
import { teamMembers, teams } from '../../../inbox/teams/table'
import type { ColleagueView } from './model'

/** Returns a page of the organization's active members, by name. Emails are not searched. */
export function listColleagues(
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<ColleagueView> {
  const { search, ...page } = query
  const { members, total } = readMembers(ctx, { ...page, name: search, isActive: true }, 'name')
  return numberedPage(colleaguesOf(ctx, members), total, query)
}

/** Returns an active member. Throws NotFoundError. */
export function getColleague(ctx: Ctx, userId: string): ColleagueView {
  const member = getMemberByUser(ctx, userId)
  const [view] = member.isActive ? colleaguesOf(ctx, [member]) : []
  if (!view) throw new NotFoundError('User')
  return view
}

function colleaguesOf(ctx: Ctx, members: Member[]): ColleagueView[] {
  const byUser = teamsOf(
    ctx,
    members.map(({ user }) => user.id),
  )
  return members.map(({ membership, role, user }) => ({
    id: user.id,
    full_name: user.fullName,
    is_available: membership.isAvailable,
    role_name: role.name,
    teams: byUser.get(user.id) ?? [],
  }))
}

/** Returns the active teams of users, by name. */
function teamsOf(ctx: Ctx, userIds: string[]): Map<string, ColleagueView['teams']> {
  const rows = ctx.db.orm
    .select({ userId: teamMembers.userId, id: teams.id, name: teams.name })
    .from(teamMembers)
    .innerJoin(
      teams,
      and(
        eq(teams.organizationId, teamMembers.organizationId),
        eq(teams.id, teamMembers.teamId),
        sql`${teams.isActive} = 1`,
        isNull(teams.deletedAtMs),
      ),
    )
    .where(inOrganization(ctx, teamMembers, inArray(teamMembers.userId, userIds)))
    .orderBy(asc(teams.nameKey))
    .all()
  const byUser = Map.groupBy(rows, ({ userId }) => userId)
  return new Map(
    [...byUser].map(([userId, own]) => [userId, own.map(({ id, name }) => ({ id, name }))]),
  )
}
