import { asc, count, desc, inArray } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
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

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Returns a page of the organization's roles: system roles first, then by name. */
export const listRoles = (
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<RoleSummary> =>
  of(ctx, roles).page(query, {
    where: [query.search === undefined ? undefined : holdsText(roles.words, query.search)],
    order: [desc(roles.isSystem), asc(roles.nameKey)],
    views: (rows) => summariesOf(ctx, rows),
  })

/** Returns the row of a role of the scope's organization. Throws NotFoundError. */
export function getRoleRow(ctx: Scope, id: string): RoleRow {
  const row = of(ctx, roles).find({ id })
  if (!row) throw new NotFoundError('Role')
  return row
}

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
export const countMembers = (ctx: Scope, roleId: string): number =>
  of(ctx, memberships).count({ roleId })

/** Counts the rows of a table that have each of these roles. */
const countByRole = (
  ctx: Scope,
  table: typeof memberships | typeof rolePermissions,
  roleIds: string[],
): Map<string, number> =>
  new Map(
    ctx.db.orm
      .select({ role: table.roleId, rows: count() })
      .from(table)
      .where(inOrganization(ctx, table, inArray(table.roleId, roleIds)))
      .groupBy(table.roleId)
      .all()
      .map(({ role, rows }) => [role, rows]),
  )

/** Returns the description of a role as the API shows it. */
export const descriptionOf = (stored: string): string | null => (stored === '' ? null : stored)

function summariesOf(ctx: Scope, rows: RoleRow[]): RoleSummary[] {
  const ids = rows.map(({ id }) => id)
  const members = countByRole(ctx, memberships, ids)
  const permissions = countByRole(ctx, rolePermissions, ids)
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
