import { and, count, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { withIndex } from '../../../infra/db/index-hint'
import { memberships } from '../memberships/table'
import { users } from '../users/table'
import { KEY_PREFIX } from './format'
import type { ApiKeyView } from './model'
import { apiKeyPermissions, apiKeys } from './table'

/** Row of an API key. */
export type ApiKeyRow = typeof apiKeys.$inferSelect

/** Filters for the list of keys. */
export interface KeyQuery {
  page: number
  limit: number
  search?: string | undefined
  isActive?: boolean | undefined
}

/**
 * Returns a page of the organization's keys, newest first. Selects the page from an index and then
 * reads only its rows.
 */
export function listKeys(ctx: Ctx, query: KeyQuery): Page<ApiKeyView> {
  const filter = inOrganization(
    ctx,
    apiKeys,
    query.isActive === undefined ? undefined : eq(apiKeys.isActive, query.isActive),
    query.search === undefined ? undefined : searchFilter(query.search.trim()),
  )
  const ids = ctx.db.orm
    .select({ id: sql`${apiKeys.id}`.mapWith(apiKeys.id) })
    .from(NEWEST_FIRST)
    .where(filter)
    .orderBy(desc(apiKeys.createdAtMs), desc(apiKeys.id))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
    .map(({ id }) => id)
  const total =
    totalAtEnd(ids.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(NEWEST_FIRST).where(filter).get()?.rows ??
    0
  return numberedPage(viewsOf(ctx, ids.slice(0, query.limit)), total, query)
}

const NEWEST_FIRST = withIndex(apiKeys, 'api_keys_recent')

function searchFilter(search: string): SQL | undefined {
  const prefix = search.startsWith(KEY_PREFIX) ? search.slice(KEY_PREFIX.length) : search
  return or(
    holdsText(apiKeys.nameKey, search),
    sql`instr(lower(${apiKeys.keyPrefix}), ${prefix.toLowerCase()}) = 1`,
  )
}

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Returns the row of a key of the organization, or `null`. */
export const findKeyRow = (ctx: Scope, id: string): ApiKeyRow | null =>
  of(ctx, apiKeys).find({ id })

/** Returns the IDs of the keys that a user of the organization owns. */
export const keysOwnedBy = (ctx: Scope, userId: string): string[] =>
  ctx.db.orm
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(inOrganization(ctx, apiKeys, eq(apiKeys.ownerUserId, userId)))
    .all()
    .map(({ id }) => id)

/** Throws NotFoundError. */
export function getKeyRow(ctx: Scope, id: string): ApiKeyRow {
  const row = findKeyRow(ctx, id)
  if (!row) throw new NotFoundError('API key')
  return row
}

/** Returns a key of the organization. Throws NotFoundError. */
export function getKey(ctx: Ctx, id: string): ApiKeyView {
  const [view] = viewsOf(ctx, [id])
  if (!view) throw new NotFoundError('API key')
  return view
}

/** Returns the permissions of a key. */
export const permissionsOfKey = (ctx: Scope, id: string): string[] =>
  permissionsOfKeys(ctx, [id]).get(id) ?? []

function permissionsOfKeys(ctx: Scope, ids: string[]): Map<string, string[]> {
  const { apiKeyId, permission } = apiKeyPermissions
  const given = ctx.db.orm
    .select()
    .from(apiKeyPermissions)
    .where(inOrganization(ctx, apiKeyPermissions, inArray(apiKeyId, ids)))
    .orderBy(apiKeyId, permission)
    .all()
  const byKey = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const row of given) byKey.get(row.apiKeyId)?.push(row.permission)
  return byKey
}

/**
 * Whether the owner of a key is still active: the membership is the same one and active, or the key
 * was made by a super admin without a membership who is still a super admin.
 */
export function isOwnerActive(
  key: Pick<ApiKeyRow, 'ownerMembershipId'>,
  owner: {
    isSuperAdmin: boolean
    membership: { membershipId: string | null; isActive: boolean } | null
  },
): boolean {
  if (key.ownerMembershipId === null) return owner.isSuperAdmin
  return (
    owner.membership !== null &&
    owner.membership.isActive &&
    owner.membership.membershipId === key.ownerMembershipId
  )
}

/** Returns the keys with these IDs as the API shows them, in the given order. */
function viewsOf(ctx: Ctx, ids: string[]): ApiKeyView[] {
  const rows = ctx.db.orm
    .select({
      key: apiKeys,
      owner: {
        fullName: users.fullName,
        isDisabled: users.isDisabled,
        isSuperAdmin: users.isSuperAdmin,
      },
      membership: { membershipId: memberships.id, isActive: memberships.isActive },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerUserId))
    .leftJoin(
      memberships,
      and(
        eq(memberships.organizationId, apiKeys.organizationId),
        eq(memberships.userId, apiKeys.ownerUserId),
      ),
    )
    .where(inOrganization(ctx, apiKeys, inArray(apiKeys.id, ids)))
    .all()
  const permissions = permissionsOfKeys(ctx, ids)
  const byId = new Map(
    rows.map((row) => [
      row.key.id,
      viewOf(row, permissions.get(row.key.id) ?? [], ctx.clock.nowMs()),
    ]),
  )
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** A key with its owner and the owner's membership in the key's organization. */
interface OwnedKey {
  key: ApiKeyRow
  owner: { fullName: string; isDisabled: boolean; isSuperAdmin: boolean }
  membership: { membershipId: string; isActive: boolean } | null
}

const viewOf = (
  { key, owner, membership }: OwnedKey,
  permissions: string[],
  nowMs: number,
): ApiKeyView => ({
  id: key.id,
  name: key.name,
  key_prefix: key.keyPrefix,
  permissions,
  is_active: key.isActive,
  expires_at: isoTimeOrNull(key.expiresAtMs),
  last_used_at: isoTimeOrNull(key.lastUsedAtMs),
  last_used_ip: key.lastUsedIp,
  owner: { id: key.ownerUserId, full_name: owner.fullName },
  usable:
    key.isActive &&
    !owner.isDisabled &&
    isOwnerActive(key, { isSuperAdmin: owner.isSuperAdmin, membership }) &&
    (key.expiresAtMs === null || key.expiresAtMs > nowMs),
  created_at: isoTime(key.createdAtMs),
  updated_at: isoTime(key.updatedAtMs),
})
