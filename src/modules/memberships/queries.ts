import { and, asc, count, desc, eq, inArray, or, sql, sum, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { inOrderOf, stretchOf } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import {
  beginsWith,
  endsWith,
  findTexts,
  isOnPage,
  madeAt,
  type LineFilter,
} from '../../infra/text-blocks'
import { through } from '../../infra/db/index-hint'
import { roles } from '../roles/table'
import { users } from '../users/table'
import type { MemberList, MemberView } from './model'
import { membershipCounts, memberships, membershipTexts } from './table'

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

/** Neither suspended here nor disabled altogether, or one of both. */
const activeFilter = (
  of: typeof memberships | typeof membershipCounts,
  isActive: boolean,
): SQL | undefined =>
  isActive
    ? and(eq(of.isActive, true), eq(of.isDisabled, false))
    : or(eq(of.isActive, false), eq(of.isDisabled, true))

const stateFilter = (
  of: typeof memberships | typeof membershipCounts,
  query: Omit<MemberQuery, 'page' | 'limit'>,
): SQL | undefined =>
  and(
    query.isActive === undefined ? undefined : activeFilter(of, query.isActive),
    query.isAvailable === undefined ? undefined : eq(of.isAvailable, query.isAvailable),
  )

/** The index of each order, of all members and of those of one role. */
const INDEX = {
  name: { all: 'memberships_by_name', ofRole: 'memberships_role' },
  newest: { all: 'memberships_recent', ofRole: 'memberships_role_recent' },
}

/** What a list is sorted by; the words of two members never are the same. */
const SORT = { name: [memberships.words], newest: [memberships.createdAtMs, memberships.id] }

/** In a role with more members a text is searched in all of the organization. */
const SMALL_ROLE = 1_000

/**
 * A page of the organization's members, by name or newest first. How many there are is kept by
 * triggers, and texts are searched in blocks. Each order, of all or of one role, has an index that
 * also holds what is filtered and searched by: a list of a hundred thousand reads the index alone,
 * from the nearer end, and then only the rows of the page.
 */
export function readMembers(
  ctx: Ctx,
  query: MemberQuery,
  order: 'name' | 'newest',
): { members: Member[]; total: number } {
  const { index, filter, total, skip } = wayTo(ctx, query, order)
  const stretch =
    skip === undefined
      ? stretchOf(total, query)
      : { offset: skip, limit: query.limit, isFromEnd: false }
  const inOrder = (order === 'newest') === stretch.isFromEnd ? asc : desc
  const found = ctx.db.orm
    .select({ id: sql<string>`${memberships.id}` })
    .from(through(memberships, index))
    .where(filter)
    .orderBy(...SORT[order].map((column) => inOrder(column)))
    .limit(stretch.limit)
    .offset(stretch.offset)
    .all()
  const ids = inOrderOf(stretch, found).map(({ id }) => id)
  const byId = new Map(
    readWhere(ctx, inArray(memberships.id, ids)).map((member) => [member.membership.id, member]),
  )
  return { members: ids.flatMap((id) => byId.get(id) ?? []), total }
}

/** The members asked for, the index that finds them, and how many they are. */
interface Way {
  index: string
  filter: SQL
  total: number
  /** Where only those of the page are asked for: how many others come before it. */
  skip?: number
}

/** Which members are asked for, the index that finds them, and how many they are. */
function wayTo(ctx: Ctx, query: MemberQuery, order: 'name' | 'newest'): Way {
  const text = query.search?.trim().toLowerCase() ?? ''
  const ofRole = query.roleId === undefined ? undefined : eq(memberships.roleId, query.roleId)
  const whose = ofRole ? 'ofRole' : 'all'
  const index = INDEX[order][whose]
  const filter = inOrganization(ctx, memberships, ofRole, stateFilter(memberships, query))
  if (text === '') return { index, filter, total: countMembers(ctx, query) }
  const searched = inOrganization(
    ctx,
    memberships,
    filter,
    sql`instr(${memberships.words}, ${text}) > 0`,
  )
  const inRole = {
    index,
    filter: searched,
    total: () => countWhere(ctx, INDEX.name[whose], searched),
  }
  if (ofRole && countMembers(ctx, { roleId: query.roleId }) <= SMALL_ROLE)
    return { ...inRole, total: inRole.total() }
  const { page, limit } = query
  const found = findTexts(ctx, membershipTexts, text, {
    filter: isIn(query),
    ...(ofRole
      ? { isFewOnly: true }
      : {
          page: { order: order === 'name' ? 'text' : 'newest', offset: (page - 1) * limit, limit },
        }),
  })
  const { count: hits, timesMs, onPage } = found
  if (onPage) {
    const shown = inOrganization(
      ctx,
      memberships,
      searched,
      isOnPage(onPage, { createdAtMs: memberships.createdAtMs, text: memberships.words }),
    )
    return { index, filter: shown, total: hits, skip: onPage.skip }
  }
  if (timesMs === null) return { ...inRole, total: ofRole ? inRole.total() : hits }
  const few = inOrganization(ctx, memberships, searched, madeAt(memberships.createdAtMs, timesMs))
  return { index: INDEX.newest.all, filter: few, total: countWhere(ctx, INDEX.newest.all, few) }
}

/**
 * Whether the line of a member, with the facts active, disabled and available, is of the states
 * asked for.
 */
function isIn({ isActive, isAvailable }: MemberQuery): LineFilter | undefined {
  if (isActive === undefined && isAvailable === undefined) return undefined
  return {
    name: `${isActive} ${isAvailable}`,
    isWanted: (lines, end) =>
      (isActive === undefined || isActive === beginsWith(lines, end, '10')) &&
      (isAvailable === undefined || isAvailable === endsWith(lines, end, '1')),
  }
}

/** How many members there are, whatever is searched. */
const countMembers = (ctx: Ctx, query: Omit<MemberQuery, 'page' | 'limit'>): number =>
  ctx.db.orm
    .select({ members: sum(membershipCounts.members).mapWith(Number) })
    .from(membershipCounts)
    .where(
      inOrganization(
        ctx,
        membershipCounts,
        eq(membershipCounts.role, query.roleId ?? ''),
        stateFilter(membershipCounts, query),
      ),
    )
    .get()?.members ?? 0

const countWhere = (ctx: Ctx, index: string, filter: SQL): number =>
  ctx.db.orm.select({ rows: count() }).from(through(memberships, index)).where(filter).get()
    ?.rows ?? 0

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

/** The member with this user id. Throws NotFoundError when there is none in this organization. */
export function getMemberByUser(ctx: Pick<Ctx, 'db' | 'organizationId'>, userId: string): Member {
  const [member] = readWhere(ctx, eq(memberships.userId, userId))
  if (!member) throw new NotFoundError('User')
  return member
}

/**
 * The member with this membership id, else with this user id. Throws NotFoundError when there is
 * none in this organization.
 */
export function getMember(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): Member {
  const member =
    readWhere(ctx, eq(memberships.id, id))[0] ?? readWhere(ctx, eq(memberships.userId, id))[0]
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
