import { and, asc, count, desc, eq, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { numberedPage, totalAtEnd, type Page } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { holdsText } from '../../infra/search-keys'
import { memberships } from '../organizations/members/table'
import { permissionFacts, permissionId } from './catalog'
import type { PermissionView, RoleSummary, RoleView } from './model'
import { permissionsOfRole } from './service'
import { rolePermissions, roles } from './table'

/** A role as its row holds it. */
export type RoleRow = typeof roles.$inferSelect

/** The whole catalogue as the API answers it. */
export const listPermissions = (): PermissionView[] =>
  permissionFacts().map(({ key, ...fact }) => ({ ...fact, id: permissionId(key), key }))

/** A page of the organization's roles, system roles first, then by name. */
export function listRoles(ctx: Ctx, query: { page: number; limit: number; search?: string | undefined }): Page<RoleSummary> {
  const filter = inOrganization(ctx, roles, query.search === undefined ? undefined : holdsText(roles.words, query.search))
  const rows = ctx.db.orm
    .select()
    .from(roles)
    .where(filter)
    .orderBy(desc(roles.isSystem), asc(roles.nameKey))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = totalAtEnd(rows.length, query) ?? ctx.db.orm.select({ rows: count() }).from(roles).where(filter).get()?.rows ?? 0
  return numberedPage(
    rows.slice(0, query.limit).map((row) => summaryOf(ctx, row)),
    total,
    query,
  )
}

/** The row of a role of the scope's organization. Throws NotFoundError. */
export function getRoleRow(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): RoleRow {
  const row = findRoleRow(ctx, eq(roles.id, id))
  if (!row) throw new NotFoundError('Role')
  return row
}

/** The role of the scope's organization that fits; `null` when none does. */
export const findRoleRow = (ctx: Pick<Ctx, 'db' | 'organizationId'>, condition: SQL | undefined): RoleRow | null =>
  ctx.db.orm
    .select()
    .from(roles)
    .where(inOrganization(ctx, roles, condition))
    .get() ?? null

/** A role with what its members may do. Throws NotFoundError. */
export function getRole(ctx: Ctx, id: string): RoleView {
  const held = new Set(permissionsOfRole(ctx, id))
  const permissions = listPermissions()
    .filter(({ key }) => held.has(key))
    .map(({ key: _key, ...facts }) => facts)
  return { ...summaryOf(ctx, getRoleRow(ctx, id)), permissions }
}

/** Memberships with a role, active or not. */
export const countMembers = (ctx: Pick<Ctx, 'db' | 'organizationId'>, roleId: string): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(memberships)
    .where(inOrganization(ctx, memberships, eq(memberships.roleId, roleId)))
    .get()?.rows ?? 0

const countPermissions = (ctx: Pick<Ctx, 'db' | 'organizationId'>, roleId: string): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(rolePermissions)
    .where(inOrganization(ctx, rolePermissions, and(eq(rolePermissions.roleId, roleId))))
    .get()?.rows ?? 0

/** The description of a role as the API answers it. */
export const describedAs = (stored: string): string | null => (stored === '' ? null : stored)

const summaryOf = (ctx: Pick<Ctx, 'db' | 'organizationId'>, row: RoleRow): RoleSummary => ({
  id: row.id,
  name: row.name,
  description: describedAs(row.description),
  is_system: row.isSystem,
  is_default: row.isDefault,
  permission_count: countPermissions(ctx, row.id),
  user_count: countMembers(ctx, row.id),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
