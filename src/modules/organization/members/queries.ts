import { and, asc, count, eq, notInArray } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../lib/errors'
import { numberedPage, type Page } from '../../../lib/page'
import { acrossOrganizations, type Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
import { getMemberByUser, readMembers, type Member, type MemberQuery } from '../memberships/queries'
import { memberships } from '../memberships/table'
import { organizations } from '../organizations/table'
import type { RoleRow } from '../roles/queries'
import { roles } from '../roles/table'
import type { OwnOrganizations, UserView } from './model'

/** Returns a user of the organization as the API shows it. */
const userView = ({ membership, role, user, isActive }: Member): UserView => ({
  id: user.id,
  email: user.email,
  full_name: user.fullName,
  role_id: role.id,
  role: { id: role.id, name: role.name, is_system: role.isSystem },
  is_active: isActive,
  is_confirmed: membership.isConfirmed,
  is_available: membership.isAvailable,
  is_member: user.homeOrganizationId !== membership.organizationId,
  is_super_admin: user.isSuperAdmin,
  membership_id: membership.id,
  two_factor_enabled: user.totpSealed !== null,
  last_login_at: isoTimeOrNull(user.lastLoginAtMs),
  created_at: isoTime(user.createdAtMs),
  updated_at: isoTime(Math.max(user.updatedAtMs, membership.updatedAtMs)),
})

/** Returns a page of the organization's users, sorted by name. */
export function listUsers(ctx: Ctx, query: MemberQuery): Page<UserView> {
  const { members, total } = readMembers(ctx, query, 'name')
  return numberedPage(members.map(userView), total, query)
}

/** Returns a user of the organization. Throws NotFoundError. */
export const getUser = (ctx: Pick<Ctx, 'db' | 'organizationId'>, userId: string): UserView =>
  userView(getMemberByUser(ctx, userId))

/**
 * Returns the organizations in which the caller has an active membership, sorted by name: a page of
 * them, or all. Of one that has moved to another server it says where.
 */
export function listOwnOrganizations(
  ctx: Ctx,
  page: { page: number; limit: number } | null,
): OwnOrganizations {
  const isOwn = acrossOrganizations(
    'these are the organizations of the caller',
    and(
      ...[eq(memberships.userId, ctx.actor.userId ?? ''), eq(memberships.isActive, true)],
      notInArray(organizations.state, ['importing', 'erasing']),
    ),
  )
  const own = ctx.db.orm
    .select({
      organization_id: organizations.id,
      name: organizations.name,
      slug: organizations.slug,
      role_id: roles.id,
      role_name: roles.name,
      is_default: memberships.isDefault,
      movedTo: organizations.movedTo,
    })
    .from(memberships)
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .innerJoin(
      roles,
      and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)),
    )
    .where(isOwn)
    .orderBy(asc(organizations.nameKey), asc(organizations.id))
  if (!page) return { organizations: own.all().map(ownView) }
  const total =
    ctx.db.orm
      .select({ rows: count() })
      .from(memberships)
      .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
      .where(isOwn)
      .get()?.rows ?? 0
  const rows = own.limit(page.limit).offset((page.page - 1) * page.limit)
  return { organizations: rows.all().map(ownView), total, ...page }
}

const ownView = <T>({ movedTo, ...own }: T & { movedTo: string | null }) => ({
  ...own,
  ...(movedTo === null ? {} : { moved_to: movedTo }),
})

/**
 * Returns the requested role, or the default role if none is given. Throws InvalidError for an
 * unknown role, which includes roles of other organizations.
 */
export function chosenRole(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  roleId: string | undefined,
): RoleRow {
  const role = of(ctx, roles).find(roleId === undefined ? { isDefault: true } : { id: roleId })
  if (role) return role
  const message = 'is not a role of this organization'
  throw new InvalidError(fieldSentence('body.role_id', message), {
    code: 'unknown_role',
    errors: [{ path: 'body.role_id', message }],
  })
}
