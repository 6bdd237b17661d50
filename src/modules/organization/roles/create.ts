import { and, eq, inArray, ne } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { searchKey } from '../../../infra/search-keys'
import type { AuditAction } from '../audit/model'
import { differences, recordAudit, type FieldChange } from '../audit/record'
import { distinctPermissions } from './catalog'
import { RoleChanged } from './events'
import { requireCovers } from './require-covers'
import type { NewRole, RoleChanges, RoleView } from './model'
import { forbiddenForDefaultRole } from './rules'
import { countMembers, descriptionOf, getRole, getRoleRow, type RoleRow } from './queries'
import { grantIn, permissionsOfRole } from './service'
import { rolePermissions, roles } from './table'

/**
 * Creates a custom role. Throws InvalidError for a permission outside the catalog or
 * `default_role_too_powerful`, ForbiddenError `escalation` for permissions the caller does not
 * hold, and ConflictError `name_taken`.
 */
export function createRole(ctx: Ctx, input: NewRole): RoleView {
  const permissions = distinctPermissions(input.permissions)
  return transact(ctx.db, (tx) => {
    requireCovers(ctx, permissions)
    if (input.is_default === true) requireFitForDefault(permissions)
    const name = requireFreeName(ctx, input.name, null)
    const id = ctx.ids.next()
    const nowMs = ctx.clock.nowMs()
    of(ctx, roles).insert(tx, {
      id,
      ...name,
      description: input.description?.trim() ?? '',
      words: searchKey(name.name, input.description ?? ''),
      isSystem: false,
      isDefault: false,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    grantIn(tx, ctx, id, permissions)
    if (input.is_default === true) moveDefaultIn(tx, ctx, id)
    record(tx, ctx, 'created', { id, name: name.name }, differences({}, auditView(ctx, id)))
    return getRole(ctx, id)
  })
}

/**
 * Updates a role. System roles can only become the default. The caller must hold the permissions
 * the role has before and after the change. Throws NotFoundError, InvalidError, ForbiddenError
 * `escalation`, and ConflictError `system_role`, `name_taken` or `default_role_required`.
 */
export function updateRole(ctx: Ctx, id: string, changes: RoleChanges): RoleView {
  const permissions =
    changes.permissions === undefined ? null : distinctPermissions(changes.permissions)
  return transact(ctx.db, (tx) => {
    const row = getRoleRow(ctx, id)
    const held = permissionsOfRole(ctx, id)
    requireCovers(ctx, [...held, ...(permissions ?? [])])
    if (row.isDefault || changes.is_default === true) requireFitForDefault(permissions ?? held)
    requireChangeable(row, changes)
    const before = auditView(ctx, id)
    writeIn(tx, ctx, row, { ...changes, permissions })
    const after = auditView(ctx, id)
    const changed = differences(before, after)
    if (changed.length === 0) return getRole(ctx, id)
    of(ctx, roles).update(tx, { id }, { updatedAtMs: ctx.clock.nowMs() })
    record(tx, ctx, 'updated', { id, name: after.name }, changed)
    if (changed.some(({ field }) => field === 'name' || field === 'permissions'))
      emit(tx, ctx, RoleChanged, { contactId: null, payload: { roleId: id } })
    return getRole(ctx, id)
  })
}

/**
 * Deletes a custom role without members. Throws NotFoundError, ForbiddenError `escalation`, and
 * ConflictError `system_role`, `default_role_required` or `role_in_use`.
 */
export function deleteRole(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getRoleRow(ctx, id)
    requireCovers(ctx, permissionsOfRole(ctx, id))
    if (row.isSystem) throw systemRole()
    if (row.isDefault) throw defaultRequired()
    const members = countMembers(ctx, id)
    if (members > 0)
      throw new ConflictError(
        `${members} ${members === 1 ? 'member has' : 'members have'} this role. Assign them ` +
          'another role first.',
        {
          code: 'role_in_use',
          details: { user_count: members },
        },
      )
    const last = differences({}, auditView(ctx, id))
    const gone = last.map(({ field, new_value }) => ({
      field,
      old_value: new_value,
      new_value: null,
    }))
    record(tx, ctx, 'deleted', row, gone)
    of(ctx, roles).delete(tx, { id })
  })
}

const systemRole = (): ConflictError =>
  new ConflictError(
    'System roles cannot be changed or deleted; only is_default can be set to true.',
    { code: 'system_role' },
  )

const defaultRequired = (): ConflictError =>
  new ConflictError('A default role is required. Make another role the default first.', {
    code: 'default_role_required',
  })

function requireFitForDefault(permissions: string[]): void {
  const surplus = forbiddenForDefaultRole(permissions)
  if (surplus.length > 0)
    throw new InvalidError(
      `The default role cannot have ${surplus.join(', ')} because it is given to everyone ` +
        'who registers.',
      {
        code: 'default_role_too_powerful',
        details: { permissions: surplus },
      },
    )
}

function requireChangeable(row: RoleRow, changes: RoleChanges): void {
  const others = [changes.name, changes.description, changes.permissions].filter(
    (value) => value !== undefined,
  )
  if (row.isSystem && (others.length > 0 || changes.is_default !== true)) throw systemRole()
  if (row.isDefault && changes.is_default === false) throw defaultRequired()
}

/**
 * Returns the name and its comparison key. Throws ConflictError `name_taken` if another role has
 * it.
 */
function requireFreeName(
  ctx: Ctx,
  written: string,
  exceptId: string | null,
): { name: string; nameKey: string } {
  const name = written.trim()
  const nameKey = name.normalize('NFC').toLowerCase()
  const other = exceptId === null ? undefined : ne(roles.id, exceptId)
  const taken = of(ctx, roles).find({ nameKey }, other)
  if (taken)
    throw new ConflictError(`A role named "${taken.name}" already exists.`, {
      code: 'name_taken',
      errors: [{ path: 'body.name', message: 'is already in use' }],
      details: { role_id: taken.id },
    })
  return { name, nameKey }
}

function writeIn(
  tx: Tx,
  ctx: Ctx,
  row: RoleRow,
  changes: Omit<RoleChanges, 'permissions'> & { permissions: string[] | null },
): void {
  const set = {
    ...(changes.name === undefined ? {} : requireFreeName(ctx, changes.name, row.id)),
    ...(changes.description === undefined
      ? {}
      : { description: changes.description?.trim() ?? '' }),
  }
  const { name, description } = { ...row, ...set }
  of(ctx, roles).update(tx, { id: row.id }, { ...set, words: searchKey(name, description) })
  if (changes.permissions !== null) replacePermissionsIn(tx, ctx, row.id, changes.permissions)
  if (changes.is_default === true && !row.isDefault) moveDefaultIn(tx, ctx, row.id)
}

function replacePermissionsIn(tx: Tx, ctx: Ctx, roleId: string, wanted: string[]): void {
  const held = permissionsOfRole(ctx, roleId)
  const surplus = held.filter((permission) => !wanted.includes(permission))
  of(ctx, rolePermissions).delete(
    tx,
    and(eq(rolePermissions.roleId, roleId), inArray(rolePermissions.permission, surplus)),
  )
  grantIn(
    tx,
    ctx,
    roleId,
    wanted.filter((permission) => !held.includes(permission)),
  )
}

/** Makes a role the default instead of the current one. */
function moveDefaultIn(tx: Tx, ctx: Ctx, roleId: string): void {
  const former = of(ctx, roles).find({ isDefault: true })
  if (former) {
    const updatedAtMs = ctx.clock.nowMs()
    of(ctx, roles).update(tx, { id: former.id }, { isDefault: false, updatedAtMs })
    const changes = differences({ is_default: true }, { is_default: false })
    record(tx, ctx, 'updated', former, changes)
  }
  of(ctx, roles).update(tx, { id: roleId }, { isDefault: true })
}

/** The fields of a role that the audit log compares. */
function auditView(ctx: Ctx, id: string) {
  const row = getRoleRow(ctx, id)
  return {
    name: row.name,
    description: descriptionOf(row.description),
    is_default: row.isDefault,
    permissions: permissionsOfRole(ctx, id),
  }
}

const record = (
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  role: { id: string; name: string },
  changes: FieldChange[],
): void =>
  recordAudit(tx, ctx, {
    action,
    resourceType: 'role',
    resourceId: role.id,
    resourceName: role.name,
    changes,
  })
