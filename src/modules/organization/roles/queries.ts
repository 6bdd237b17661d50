import { asc, count, desc, eq, inArray, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { holdsText } from '../../../infra/search-keys'
import { memberships } from '../memberships/table'
import { permissionFacts, permissionId } from './catalog'
import type { PermissionView, RoleSummary, RoleView } from './model'
import { permissionsOfRole } from './service'
import { rolePermissions, roles } from './table'

/** A row of the roles table. */
export type RoleRow = typeof roles.$inferSelect

/** Returns all permissions as the API shows them. */
export const listPermissions = (): PermissionView[] =>
  permissionFacts().map(({ key, ...fact }) => ({ ...fact, id: permissionId(key), key }))

/** Returns a page of the organization's roles: system roles first, then by name. */
export function listRoles(
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<RoleSummary> {
  const filter = inOrganization(
    ctx,
    roles,
    query.search === undefined ? undefined : holdsText(roles.words, query.search),
  )
  const rows = ctx.db.orm
    .select()
    .from(roles)
    .where(filter)
    .orderBy(desc(roles.isSystem), asc(roles.nameKey))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(roles).where(filter).get()?.rows ??
    0
  return numberedPage(summariesOf(ctx, rows.slice(0, query.limit)), total, query)
}

/** Returns the row of a role of the scope's organization. Throws NotFoundError. */
export function getRoleRow(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): RoleRow {
  const row = findRoleRow(ctx, eq(roles.id, id))
  if (!row) throw new NotFoundError('Role')
  return row
}

/** Returns the first role of the scope's organization that matches, or `null`. */
export const findRoleRow = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  condition: SQL | undefined,
): RoleRow | null =>
  ctx.db.orm
    .select()
    .from(roles)
    .where(inOrganization(ctx, roles, condition))
    .get() ?? null

/** Returns a role with its permissions. Throws NotFoundError. */
export function getRole(ctx: Ctx, id: string): RoleView {
  const [summary] = summariesOf(ctx, [getRoleRow(ctx, id)])
  if (!summary) throw new NotFoundError('Role')
  const held = new Set(permissionsOfRole(ctx, id))
  const permissions = listPermissions()
    .filter(({ key }) => held.has(key))
    .map(({ key: _key, ...facts }) => facts)
  return { ...summary, permissions }
}

/** Counts the memberships with a role, active or not. */
export const countMembers = (ctx: Pick<Ctx, 'db' | 'organizationId'>, roleId: string): number =>
  membersOf(ctx, [roleId]).get(roleId) ?? 0

const membersOf = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  roleIds: string[],
): Map<string, number> =>
  byRole(
    ctx.db.orm
      .select({ role: memberships.roleId, rows: count() })
      .from(memberships)
      .where(inOrganization(ctx, memberships, inArray(memberships.roleId, roleIds)))
      .groupBy(memberships.roleId)
      .all(),
  )

const permissionsOf = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  roleIds: string[],
): Map<string, number> =>
  byRole(
    ctx.db.orm
      .select({ role: rolePermissions.roleId, rows: count() })
      .from(rolePermissions)
      .where(inOrganization(ctx, rolePermissions, inArray(rolePermissions.roleId, roleIds)))
      .groupBy(rolePermissions.roleId)
      .all(),
  )

const byRole = (counted: { role: string; rows: number }[]): Map<string, number> =>
  new Map(counted.map(({ role, rows }) => [role, rows]))

/** Returns the description of a role as the API shows it. */
export const descriptionOf = (stored: string): string | null => (stored === '' ? null : stored)

function summariesOf(ctx: Pick<Ctx, 'db' | 'organizationId'>, rows: RoleRow[]): RoleSummary[] {
  const ids = rows.map(({ id }) => id)
  const [members, permissions] = [membersOf(ctx, ids), permissionsOf(ctx, ids)]
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: descriptionOf(row.description),
    is_system: row.isSystem,
    is_default: row.isDefault,
    permission_count: permissions.get(row.id) ?? 0,
    user_count: members.get(row.id) ?? 0,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }))
}
