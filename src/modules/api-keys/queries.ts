import { and, count, desc, eq, or, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { numberedPage, type Page } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { holdsText } from '../../infra/search-keys'
import { memberships } from '../organizations/members/table'
import { users } from '../users/table'
import { KEY_MARK } from './format'
import type { ApiKeyView } from './model'
import { apiKeyPermissions, apiKeys } from './table'

/** A key as its row holds it. */
export type ApiKeyRow = typeof apiKeys.$inferSelect

/** Which keys are listed. */
export interface KeyQuery {
  page: number
  limit: number
  search?: string | undefined
  isActive?: boolean | undefined
}

/** A page of the organization's keys, newest first. */
export function listKeys(ctx: Ctx, query: KeyQuery): Page<ApiKeyView> {
  const filter = inOrganization(
    ctx,
    apiKeys,
    query.isActive === undefined ? undefined : eq(apiKeys.isActive, query.isActive),
    query.search === undefined ? undefined : searchFilter(query.search.trim()),
  )
  const rows = ctx.db.orm
    .select()
    .from(apiKeys)
    .where(filter)
    .orderBy(desc(apiKeys.createdAtMs), desc(apiKeys.id))
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = ctx.db.orm.select({ rows: count() }).from(apiKeys).where(filter).get()?.rows ?? 0
  return numberedPage(
    rows.map((row) => viewOf(ctx, row)),
    total,
    query,
  )
}

function searchFilter(search: string): SQL | undefined {
  const prefix = search.startsWith(KEY_MARK) ? search.slice(KEY_MARK.length) : search
  return or(holdsText(apiKeys.nameKey, search), sql`instr(lower(${apiKeys.keyPrefix}), ${prefix.toLowerCase()}) = 1`)
}

/** The row of a key of the scope's organization, if there is one. */
export const findKeyRow = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ApiKeyRow | undefined =>
  ctx.db.orm
    .select()
    .from(apiKeys)
    .where(inOrganization(ctx, apiKeys, eq(apiKeys.id, id)))
    .get()

/** The row of a key of the scope's organization. Throws NotFoundError. */
export function getKeyRow(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ApiKeyRow {
  const row = findKeyRow(ctx, id)
  if (!row) throw new NotFoundError('API key')
  return row
}

/** A key of the scope's organization. Throws NotFoundError. */
export const getKey = (ctx: Ctx, id: string): ApiKeyView => viewOf(ctx, getKeyRow(ctx, id))

/** The pairs a key was given. */
export const permissionsOfKey = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): string[] =>
  ctx.db.orm
    .select({ permission: apiKeyPermissions.permission })
    .from(apiKeyPermissions)
    .where(inOrganization(ctx, apiKeyPermissions, eq(apiKeyPermissions.apiKeyId, id)))
    .orderBy(apiKeyPermissions.permission)
    .all()
    .map(({ permission }) => permission)

/**
 * Whether the owner of a key, with the membership it has now, still answers for it: the membership is the same one and active, or the
 * key was made by a super admin who was no member and still is one.
 */
export function answersFor(
  key: Pick<ApiKeyRow, 'ownerMembershipId'>,
  owner: { isSuperAdmin: boolean; membership: { membershipId: string | null; isActive: boolean } | null },
): boolean {
  if (key.ownerMembershipId === null) return owner.isSuperAdmin
  return owner.membership !== null && owner.membership.isActive && owner.membership.membershipId === key.ownerMembershipId
}

function viewOf(ctx: Ctx, row: ApiKeyRow): ApiKeyView {
  const owner = ctx.db.orm
    .select({
      fullName: users.fullName,
      isDisabled: users.isDisabled,
      isSuperAdmin: users.isSuperAdmin,
      membershipId: memberships.id,
      isActive: memberships.isActive,
    })
    .from(users)
    .leftJoin(memberships, and(eq(memberships.userId, users.id), eq(memberships.organizationId, ctx.organizationId)))
    .where(eq(users.id, row.ownerUserId))
    .get()
  const isOwnerActive =
    owner !== undefined &&
    !owner.isDisabled &&
    answersFor(row, {
      isSuperAdmin: owner.isSuperAdmin,
      membership: { membershipId: owner.membershipId, isActive: owner.isActive === true },
    })
  return {
    id: row.id,
    name: row.name,
    key_prefix: row.keyPrefix,
    permissions: permissionsOfKey(ctx, row.id),
    is_active: row.isActive,
    expires_at: isoTimeOrNull(row.expiresAtMs),
    last_used_at: isoTimeOrNull(row.lastUsedAtMs),
    last_used_ip: row.lastUsedIp,
    owner: { id: row.ownerUserId, full_name: owner?.fullName ?? '' },
    usable: row.isActive && isOwnerActive && (row.expiresAtMs === null || row.expiresAtMs > ctx.clock.nowMs()),
    created_at: isoTime(row.createdAtMs),
  }
}
