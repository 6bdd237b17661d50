import { and, eq, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, UnauthorizedError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { instantMs } from '../../../lib/instant'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { searchKey } from '../../../infra/search-keys'
import type { AuditAction } from '../audit/model'
import { differences, recordAudit } from '../audit/record'
import { PermissionsChanged } from '../memberships/events'
import { distinctPermissions } from '../roles/catalog'
import { requireCovers } from '../roles/require-covers'
import { newKey, prefixOf } from './format'
import type { ApiKeyChanges, ApiKeyView, NewApiKey, NewApiKeyView } from './model'
import { getKey, getKeyRow, permissionsOfKey } from './queries'
import { apiKeyPermissions, apiKeys } from './table'
import { findMembership } from '../memberships/find'

/** Keys must not create keys: such keys would outlive the access of their owner. */
const FORBIDDEN_PERMISSIONS = new Set(['api_keys:create', 'api_keys:update'])

/**
 * Creates a key owned by the caller. Only this response contains the key. Throws InvalidError for
 * an unknown permission, a permission keys may not hold and an expiry in the past, and
 * ForbiddenError `escalation` for permissions the caller does not hold.
 */
export function createKey(ctx: Ctx, input: NewApiKey): NewApiKeyView {
  const permissions = requireAllowed(input.permissions)
  const expiresAtMs = expiryOf(ctx, input.expires_at ?? null)
  const { userId } = ctx.actor
  if (userId === null) throw new UnauthorizedError()
  const key = newKey()
  return transact(ctx.db, (tx) => {
    requireCovers(ctx, permissions)
    const id = ctx.ids.next()
    const nowMs = ctx.clock.nowMs()
    of(ctx, apiKeys).insert(tx, {
      id,
      name: input.name.trim(),
      nameKey: searchKey(input.name),
      keyHash: sha256Hex(key),
      keyPrefix: prefixOf(key),
      ownerUserId: userId,
      ownerMembershipId: ownMembershipId(ctx),
      expiresAtMs,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    replacePermissionsIn(tx, ctx, id, permissions)
    const view = getKey(ctx, id)
    recordIn(tx, ctx, 'created', view, differences({}, auditView(view)))
    return { ...view, key, warnings: visibilityWarnings(permissions) }
  })
}

/** Returns warnings about what a key with these permissions can see. */
function visibilityWarnings(permissions: string[]): string[] {
  const given = new Set(permissions)
  if (given.has('contacts:read'))
    return given.has('contacts:read_all')
      ? []
      : [
          'Without `contacts:read_all`, this key sees only contacts that are assigned to you ' +
            `directly or through a conversation${given.has('contacts:read_unassigned') ? ', and those that nobody has' : ''}. ` +
            'All others return 404.',
        ]
  const isBlind = permissions.some((pair) => /^(?:contacts|messages):/.test(pair))
  return isBlind
    ? [
        'Without `contacts:read`, this key sees no contacts. Their conversations and messages ' +
          'return 404.',
      ]
    : []
}

/**
 * Updates a key. The caller must hold the permissions it has before and after the change. Throws
 * NotFoundError, InvalidError, and ForbiddenError `escalation`.
 */
export function updateKey(ctx: Ctx, id: string, changes: ApiKeyChanges): ApiKeyView {
  const permissions = changes.permissions === undefined ? null : requireAllowed(changes.permissions)
  const expiresAtMs =
    changes.expires_at === undefined ? undefined : expiryOf(ctx, changes.expires_at)
  return transact(ctx.db, (tx) => {
    const row = getKeyRow(ctx, id)
    requireCovers(ctx, [...permissionsOfKey(ctx, id), ...(permissions ?? [])])
    const before = auditView(getKey(ctx, id))
    of(ctx, apiKeys).update(
      tx,
      { id },
      {
        name: changes.name?.trim(),
        nameKey: searchKey(changes.name ?? row.name),
        isActive: changes.is_active,
        expiresAtMs,
        updatedAtMs: ctx.clock.nowMs(),
      },
    )
    if (permissions !== null) replacePermissionsIn(tx, ctx, id, permissions)
    const view = getKey(ctx, id)
    const changed = differences(before, auditView(view))
    if (changed.length > 0) recordIn(tx, ctx, 'updated', view, changed)
    if (changed.some(({ field }) => field === 'permissions')) publishPermissionsIn(tx, ctx, view)
    return view
  })
}

/**
 * Makes the caller the owner of a key, so that it uses the caller's membership. Throws
 * NotFoundError, and ForbiddenError `escalation`.
 */
export function takeOverKey(ctx: Ctx, id: string): ApiKeyView {
  const { userId } = ctx.actor
  if (userId === null) throw new UnauthorizedError()
  return transact(ctx.db, (tx) => {
    const { ownerUserId: former, ownerMembershipId } = getKeyRow(ctx, id)
    requireCovers(ctx, permissionsOfKey(ctx, id))
    const membershipId = ownMembershipId(ctx)
    if (former === userId && ownerMembershipId === membershipId) return getKey(ctx, id)
    const owner = { ownerUserId: userId, ownerMembershipId: membershipId }
    of(ctx, apiKeys).update(tx, { id }, { ...owner, updatedAtMs: ctx.clock.nowMs() })
    const view = getKey(ctx, id)
    recordIn(tx, ctx, 'key_taken_over', view, [
      { field: 'owner_id', old_value: former, new_value: userId },
    ])
    publishPermissionsIn(tx, ctx, view)
    return view
  })
}

/**
 * Revokes a key, effective from the next request. Throws NotFoundError, and ForbiddenError
 * `escalation`.
 */
export function deleteKey(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const view = getKey(ctx, id)
    requireCovers(ctx, view.permissions)
    recordIn(tx, ctx, 'deleted', view, [])
    of(ctx, apiKeys).delete(tx, { id })
  })
}

/**
 * Returns the caller's membership that a key depends on, or `null` for a super admin without one.
 */
const ownMembershipId = (ctx: Ctx): string | null => {
  const membership = findMembership(ctx, {
    organizationId: ctx.organizationId,
    userId: ctx.actor.userId ?? '',
  })
  return membership?.isActive ? membership.membershipId : null
}

/**
 * Returns the permissions if a key may hold them. Throws InvalidError that names the position of
 * each invalid one.
 */
function requireAllowed(written: string[]): string[] {
  const permissions = distinctPermissions(written)
  const errors = written.flatMap((pair, index) =>
    FORBIDDEN_PERMISSIONS.has(pair)
      ? [{ path: `body.permissions.${index}`, message: 'cannot be granted to an API key' }]
      : [],
  )
  if (errors.length > 0)
    throw new InvalidError(
      '`permissions` cannot contain `api_keys:create` or `api_keys:update`: API keys cannot ' +
        `manage API keys. See ${errors[0]?.path}.`,
      {
        code: 'invalid_input',
        errors,
      },
    )
  return permissions
}

/** Returns the expiry of a key, `null` for never. Throws InvalidError if it is in the past. */
function expiryOf(ctx: Ctx, written: string | null): number | null {
  if (written === null) return null
  const atMs = instantMs(written)
  if (atMs !== null && atMs > ctx.clock.nowMs()) return atMs
  const message = 'must be in the future, as an ISO 8601 time with time zone'
  throw new InvalidError(fieldSentence('body.expires_at', message), {
    code: 'invalid_input',
    errors: [{ path: 'body.expires_at', message }],
  })
}

function replacePermissionsIn(tx: Tx, ctx: Ctx, id: string, wanted: string[]): void {
  const held = permissionsOfKey(ctx, id)
  const own = of(ctx, apiKeyPermissions)
  const surplus = held.filter((permission) => !wanted.includes(permission))
  const missing = wanted.filter((permission) => !held.includes(permission))
  own.delete(
    tx,
    and(eq(apiKeyPermissions.apiKeyId, id), inArray(apiKeyPermissions.permission, surplus)),
  )
  own.insertAll(
    tx,
    missing.map((permission) => ({ apiKeyId: id, permission })),
  )
}

/** Publishes a change of a key's permissions or visibility to its sockets. */
const publishPermissionsIn = (tx: Tx, ctx: Ctx, { id, owner }: ApiKeyView): void =>
  emit(tx, ctx, PermissionsChanged, {
    contactId: null,
    payload: { userId: owner.id, apiKeyId: id, reason: 'key_edited' },
  })

/** The fields of a key that the audit log compares. */
const auditView = ({
  name,
  key_prefix,
  permissions,
  is_active,
  expires_at,
  owner,
}: ApiKeyView) => ({
  name,
  key_prefix,
  permissions,
  is_active,
  expires_at,
  owner_id: owner.id,
})

const recordIn = (
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  view: ApiKeyView,
  changes: ReturnType<typeof differences>,
): void =>
  recordAudit(tx, ctx, {
    action,
    resourceType: 'api_key',
    resourceId: view.id,
    resourceName: view.name,
    changes,
  })
