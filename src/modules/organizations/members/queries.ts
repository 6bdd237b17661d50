import { and, asc, count, desc, eq, gt, inArray, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { totalAtEnd } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { through } from '../../../infra/through'
import { roles } from '../../roles/table'
import { users } from '../../users/table'
import type { MemberList, MemberView } from './model'
import { memberships } from './table'

/** How members are chosen. */
export interface MemberQuery {
  page: number
  limit: number
  search?: string | undefined
  roleId?: string | undefined
  isActive?: boolean | undefined
  isAvailable?: boolean | undefined
}

/** A member with role and account. */
export interface Member {
  membership: typeof memberships.$inferSelect
  role: typeof roles.$inferSelect
  user: typeof users.$inferSelect
  /** Neither suspended here nor disabled altogether. */
  isActive: boolean
}

/** Suspended here, or disabled altogether. */
const activeFilter = (isActive: boolean): SQL | undefined =>
  isActive
    ? and(eq(memberships.isActive, true), eq(memberships.isDisabled, false))
    : or(eq(memberships.isActive, false), eq(memberships.isDisabled, true))

/** The index of each order, of all members and of those of one role; that by name is the narrower one, so it counts both. */
const INDEX = {
  name: { all: 'memberships_by_name', ofRole: 'memberships_role' },
  newest: { all: 'memberships_recent', ofRole: 'memberships_role_recent' },
}

/**
 * A page of the organization's members, by name or newest first. Each order, of all or of one role, has an index that also holds what
 * is filtered and searched by: a list of a hundred thousand reads the index alone and then only the rows of the page. Part of a
 * name or an e-mail is looked for in the index, in one pass: what ends before the page is full needs no count.
 */
export function readMembers(ctx: Ctx, query: MemberQuery, order: 'name' | 'newest'): { members: Member[]; total: number } {
  const text = query.search?.trim().toLowerCase() ?? ''
  const filter = inOrganization(
    ctx,
    memberships,
    query.roleId === undefined ? undefined : eq(memberships.roleId, query.roleId),
    query.isActive === undefined ? undefined : activeFilter(query.isActive),
    query.isAvailable === undefined ? undefined : eq(memberships.isAvailable, query.isAvailable),
    text === '' ? undefined : sql`instr(${memberships.words}, ${text}) > 0`,
  )
  const whose = query.roleId === undefined ? 'all' : 'ofRole'
  const found = ctx.db.orm
    .select({ id: sql<string>`${memberships.id}`, words: sql<string>`${memberships.words}` })
    .from(through(memberships, INDEX[order][whose]))
    .where(filter)
    .orderBy(...(order === 'name' ? [asc(memberships.words)] : [desc(memberships.createdAtMs), desc(memberships.id)]))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const ids = found.slice(0, query.limit).map(({ id }) => id)
  const byId = new Map(readWhere(ctx, inArray(memberships.id, ids)).map((member) => [member.membership.id, member]))
  const last = order === 'name' ? found.at(-1) : undefined
  const counted = (): number => {
    if (!last) return countWhere(ctx, INDEX.name[whose], filter)
    const read = (query.page - 1) * query.limit + found.length // what was read to come here is not looked at again
    return read + countWhere(ctx, INDEX.name[whose], and(filter, gt(memberships.words, last.words)) ?? filter)
  }
  return {
    members: ids.flatMap((id) => byId.get(id) ?? []),
    total: totalAtEnd(found.length, query) ?? counted(),
  }
}

const countWhere = (ctx: Ctx, index: string, filter: SQL): number =>
  ctx.db.orm.select({ rows: count() }).from(through(memberships, index)).where(filter).get()?.rows ?? 0

function readWhere(ctx: Pick<Ctx, 'db' | 'organizationId'>, condition: SQL): Member[] {
  return ctx.db.orm
    .select({ membership: memberships, role: roles, user: users })
    .from(memberships)
    .innerJoin(roles, and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(inOrganization(ctx, memberships, condition))
    .all()
    .map((row) => ({ ...row, isActive: row.membership.isActive && !row.user.isDisabled }))
}

/** The member with this user id. Throws NotFoundError when there is none in this organization. */
export function getMemberByUser(ctx: Pick<Ctx, 'db' | 'organizationId'>, userId: string): Member {
  const [member] = readWhere(ctx, eq(memberships.userId, userId))
  if (!member) throw new NotFoundError('User')
  return member
}

/** The member with this membership id, else with this user id. Throws NotFoundError when there is none in this organization. */
export function getMember(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): Member {
  const member = readWhere(ctx, eq(memberships.id, id))[0] ?? readWhere(ctx, eq(memberships.userId, id))[0]
  if (!member) throw new NotFoundError('Member')
  return member
}

/** Members, newest first (spec 4.3). */
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
