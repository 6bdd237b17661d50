import { and, eq, inArray } from 'drizzle-orm'

import { anyScope, inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { compiled, place } from '../../../infra/db/compiled'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { searchKey } from '../../../infra/search-keys'
import { recordAudit } from '../audit/record'
import { permissionsOfSystemRole, SYSTEM_ROLES, type SystemRole } from './catalog'
import { rolePermissions, roles } from './table'

/** Creates the three system roles of a new organization. Returns their IDs by name. */
export function createSystemRolesIn(tx: Tx, ctx: Ctx): Record<SystemRole, string> {
  const nowMs = ctx.clock.nowMs()
  const ids: Record<SystemRole, string> = {
    admin: ctx.ids.next(),
    manager: ctx.ids.next(),
    agent: ctx.ids.next(),
  }
  for (const { name, description, isDefault } of SYSTEM_ROLES) {
    of(ctx, roles).insert(tx, {
      id: ids[name],
      name,
      nameKey: name,
      description,
      words: searchKey(name, description),
      isSystem: true,
      isDefault,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    grantIn(tx, ctx, ids[name], permissionsOfSystemRole(name))
  }
  return ids
}

/** Adds permissions that a role does not have yet. Runs inside the caller's transaction. */
export const grantIn = (tx: Tx, ctx: Ctx, roleId: string, permissions: string[]): void =>
  of(ctx, rolePermissions).insertAll(
    tx,
    permissions.map((permission) => ({ roleId, permission })),
  )

const permissionsOf = compiled((orm) =>
  orm
    .select({ permission: rolePermissions.permission })
    .from(rolePermissions)
    .where(
      inOrganization(
        anyScope,
        rolePermissions,
        eq(rolePermissions.roleId, place(rolePermissions.roleId, 'roleId')),
      ),
    )
    .orderBy(rolePermissions.permission)
    .prepare(),
)

/** Returns the current permissions of a role. */
export const permissionsOfRole = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  roleId: string,
): string[] =>
  permissionsOf(ctx.db)
    .all({ organizationId: ctx.organizationId, roleId })
    .map(({ permission }) => permission)

/**
 * Returns a system role of the scope's organization, or `null` if the organization does not exist.
 */
export const findSystemRole = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  name: SystemRole,
): typeof roles.$inferSelect | null => of(ctx, roles).find({ nameKey: name, isSystem: true })

/**
 * Restores the permissions of every system role from the catalog, as needed after an upgrade.
 * Leaves custom roles unchanged. Returns the number of roles that differed; each is logged and
 * recorded in the audit log. An organization that is being imported is repaired when it is complete.
 */
export function repairSystemRoles(deps: Deps): number {
  const systemRoles = deps.db.orm
    .select()
    .from(roles)
    .where(
      inWorkingOrganizations(
        'the system roles of all organizations are compared with the catalog',
        roles,
        eq(roles.isSystem, true),
      ),
    )
    .all()
  return systemRoles.filter((role) =>
    transact(deps.db, (tx) => repairIn(tx, systemCtx(deps, role.organizationId), role)),
  ).length
}

/** As {@link repairSystemRoles}, for one organization, in the caller's transaction. */
export function repairSystemRolesIn(tx: Tx, ctx: Ctx): void {
  const own = tx
    .select()
    .from(roles)
    .where(inOrganization(ctx, roles, eq(roles.isSystem, true)))
    .all()
  for (const role of own) repairIn(tx, ctx, role)
}

/** Restores the permissions of a system role. Returns whether they differed. */
function repairIn(tx: Tx, ctx: Ctx, { id, name }: typeof roles.$inferSelect): boolean {
  const wanted = new Set<string>(permissionsOfSystemRole(name as SystemRole))
  const stored = permissionsOfRole(ctx, id)
  const surplus = stored.filter((permission) => !wanted.has(permission))
  const missing = [...wanted].filter((permission) => !stored.includes(permission))
  if (surplus.length === 0 && missing.length === 0) return false
  of(ctx, rolePermissions).delete(
    tx,
    and(eq(rolePermissions.roleId, id), inArray(rolePermissions.permission, surplus)),
  )
  grantIn(tx, ctx, id, missing)
  recordAudit(tx, ctx, {
    action: 'updated',
    resourceType: 'role',
    resourceId: id,
    resourceName: name,
    changes: [{ field: 'permissions', old_value: stored, new_value: [...wanted].toSorted() }],
  })
  ctx.log.warn(
    { organization_id: ctx.organizationId, role: name, added: missing, removed: surplus },
    'permissions of a system role repaired',
  )
  return true
}
