import { and, asc, eq, sql } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { memberships } from '../../organization/memberships/table'
import { transfers } from '../../automation/transfers/table'
import { users } from '../../organization/users/table'
import { membershipOfMember } from './find'
import type { TeamMemberView } from './model'
import { teamMembers } from './table'

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
