import { and, asc, count, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { withIndex } from '../../../infra/db/index-hint'
import { roles } from '../roles/table'
import { users } from '../users/table'
import type { MemberList, MemberView } from './model'
import { memberships } from './table'

/** Filters, order and page of a member list. */
export interface MemberQuery {
  page: number
  limit: number
  /** Part of the name or email. */
  search?: string | undefined
  /** Part of the name. */
  name?: string | undefined
  roleId?: string | undefined
  isActive?: boolean | undefined
  isAvailable?: boolean | undefined
}

/** A member with role and account. */
export interface Member {
  membership: typeof memberships.$inferSelect
  role: typeof roles.$inferSelect
  user: typeof users.$inferSelect
  /** Neither suspended in the organization nor disabled as an account. */
  isActive: boolean
}

/**
 * Matches active, or inactive, members: active means neither suspended in the organization nor
 * disabled as an account.
 */
const activeFilter = (isActive: boolean): SQL | undefined =>
  isActive
    ? and(eq(memberships.isActive, true), eq(memberships.isDisabled, false))
    : or(eq(memberships.isActive, false), eq(memberships.isDisabled, true))

/** Returns the condition of a member query. */
function matching(
  ctx: Ctx,
  { search = '', name = '', roleId, isActive, isAvailable }: MemberQuery,
): SQL {
  const [text, namePart] = [search.trim().toLowerCase(), name.trim().toLowerCase()]
  const fullName = sql`substr(${memberships.words}, 1, instr(${memberships.words}, char(10)) - 1)`
  return inOrganization(
    ctx,
    memberships,
    roleId === undefined ? undefined : eq(memberships.roleId, roleId),
    isActive === undefined ? undefined : activeFilter(isActive),
    isAvailable === undefined ? undefined : eq(memberships.isAvailable, isAvailable),
    text === '' ? undefined : sql`instr(${memberships.words}, ${text}) > 0`,
    namePart === '' ? undefined : sql`instr(${fullName}, ${namePart}) > 0`,
  )
}

/** The index of each sort order, for all members and for those of one role. */
const INDEX = {
  name: { all: 'memberships_by_name', ofRole: 'memberships_role' },
  newest: { all: 'memberships_recent', ofRole: 'memberships_role_recent' },
}

/** Sort order of each list. No two members have the same words. */
const SORT = {
  name: [asc(memberships.words)],
  newest: [desc(memberships.createdAtMs), desc(memberships.id)],
}

/**
 * Returns a page of the organization's members, by name or newest first, and their total. Counts
 * and searches in a covering index and reads only the members of the page.
 */
export function readMembers(
  ctx: Ctx,
  query: MemberQuery,
  order: 'name' | 'newest',
): { members: Member[]; total: number } {
  const source = withIndex(memberships, INDEX[order][query.roleId === undefined ? 'all' : 'ofRole'])
  const filter = matching(ctx, query)
  const total = ctx.db.orm.select({ rows: count() }).from(source).where(filter).get()?.rows ?? 0
  const ids = ctx.db.orm
    .select({ id: sql`${memberships.id}`.mapWith(memberships.id) })
    .from(source)
    .where(filter)
    .orderBy(...SORT[order])
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
    .map(({ id }) => id)
  const byId = new Map(
    readWhere(ctx, inArray(memberships.id, ids)).map((member) => [member.membership.id, member]),
  )
  return { members: ids.flatMap((id) => byId.get(id) ?? []), total }
}

function readWhere(ctx: Pick<Ctx, 'db' | 'organizationId'>, condition: SQL): Member[] {
  return ctx.db.orm
    .select({ membership: memberships, role: roles, user: users })
    .from(memberships)
    .innerJoin(
      roles,
      and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)),
    )
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(inOrganization(ctx, memberships, condition))
    .all()
    .map((row) => ({ ...row, isActive: row.membership.isActive && !row.user.isDisabled }))
}

/** Returns the member with this user ID. Throws NotFoundError. */
export function getMemberByUser(ctx: Pick<Ctx, 'db' | 'organizationId'>, userId: string): Member {
  const [member] = readWhere(ctx, eq(memberships.userId, userId))
  if (!member) throw new NotFoundError('User')
  return member
}

/** Returns the member with this membership ID, else with this user ID. Throws NotFoundError. */
export function getMember(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): Member {
  const member =
    readWhere(ctx, eq(memberships.id, id))[0] ?? readWhere(ctx, eq(memberships.userId, id))[0]
  if (!member) throw new NotFoundError('Member')
  return member
}

/** Returns a page of members, newest first (spec 4.3). */
export function listMembers(ctx: Ctx, query: MemberQuery): MemberList {
  const { members, total } = readMembers(ctx, query, 'newest')
  return { members: members.map(memberView), total, page: query.page, limit: query.limit }
}

const memberView = ({ membership, role, user, isActive }: Member): MemberView => ({
  id: membership.id,
  user_id: user.id,
  organization_id: membership.organizationId,
  role_id: role.id,
  role_name: role.name,
  is_default: membership.isDefault,
  email: user.email,
  full_name: user.fullName,
  is_active: isActive,
  created_at: isoTime(membership.createdAtMs),
})
