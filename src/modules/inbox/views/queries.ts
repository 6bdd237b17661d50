import { and, asc, eq, inArray, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { ForbiddenError, NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { maskPhonesIn } from '../../../lib/phone'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { given, of } from '../../../infra/scoped'
import { masksNumbers } from '../contacts/sight/visibility'
import { users } from '../../organization/users/table'
import type { SavedView } from './model'
import { views, type StoredFilter, type ViewRow } from './table'

/** The permission that each list requires. */
const LIST_PERMISSIONS: Record<ViewRow['resource'], Permission> = {
  conversations: 'messages:read',
  contacts: 'contacts:read',
  campaigns: 'campaigns:read',
}

/** Whether the caller may read a list. */
export const mayRead = (ctx: Ctx, resource: ViewRow['resource']): boolean =>
  hasPermission(ctx.actor, LIST_PERMISSIONS[resource])

/**
 * Limits a query to the caller's own views, and to shared ones of lists that the caller may read.
 * Reads the own and the shared ones along an index each: with `or`, SQLite reads the views of all
 * members.
 */
function isUsable(ctx: Ctx): SQL | undefined {
  const isOwn = eq(views.ownerId, ctx.actor.userId ?? '')
  const idsWhere = (condition: SQL) =>
    ctx.db.orm
      .select({ id: views.id })
      .from(views)
      .where(inOrganization(ctx, views, condition))
  return and(
    // Written without a parameter, so that the partial index of shared views applies.
    inArray(views.id, idsWhere(isOwn).unionAll(idsWhere(sql`${views.isShared} = 1`))),
    or(
      isOwn,
      inArray(
        views.resource,
        views.resource.enumValues.filter((resource) => mayRead(ctx, resource)),
      ),
    ),
  )
}

/** Returns a page of the views that the caller sees, in their order. */
export const listViews = (
  ctx: Ctx,
  {
    resource,
    ...query
  }: { page: number; limit: number; resource?: ViewRow['resource'] | undefined },
): Page<SavedView> =>
  of(ctx, views).page(query, {
    where: [isUsable(ctx), given({ resource })],
    order: [asc(views.position), asc(views.name), asc(views.id)],
    views: (rows) => savedViews(ctx, rows),
  })

/** Returns the views with these IDs that the caller sees. */
export const findViews = (ctx: Ctx, ids: string[]): ViewRow[] =>
  ctx.db.orm
    .select()
    .from(views)
    .where(inOrganization(ctx, views, isUsable(ctx), inArray(views.id, ids)))
    .all()

/** Returns a view that the caller sees. Throws NotFoundError. */
export function getView(ctx: Ctx, id: string): SavedView {
  const [view] = savedViews(ctx, findViews(ctx, [id]))
  if (!view) throw new NotFoundError('View')
  return view
}

/**
 * Returns a view that the caller may change. Throws NotFoundError for a view the caller does not
 * see, and ForbiddenError for a shared one without `contacts:update`.
 */
export function getOwnView(ctx: Ctx, id: string): ViewRow {
  const [row] = findViews(ctx, [id])
  if (!row) throw new NotFoundError('View')
  if (row.isShared) requireSharing(ctx)
  return row
}

/** Requires the permission to change shared views. Throws ForbiddenError `permission_denied`. */
export function requireSharing(ctx: Ctx): void {
  if (!hasPermission(ctx.actor, 'contacts:update'))
    throw new ForbiddenError('A shared view requires the permission `contacts:update`.', {
      code: 'permission_denied',
    })
}

/** Returns views as the API shows them. Reads the names of all owners at once. */
export function savedViews(ctx: Ctx, rows: ViewRow[]): SavedView[] {
  const ids = [...new Set(rows.map(({ ownerId }) => ownerId))]
  const owners = ctx.db.orm
    .select({ id: users.id, full_name: users.fullName })
    .from(users)
    .where(inArray(users.id, ids))
    .all()
  const isMasked = masksNumbers(ctx)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    resource: row.resource,
    filter: shownFilter(row, isMasked && row.ownerId !== ctx.actor.userId),
    is_shared: row.isShared,
    position: row.position,
    owner: owners.find(({ id }) => id === row.ownerId) ?? { id: row.ownerId, full_name: '' },
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }))
}

/** Returns a view's filter; a phone number in the search of somebody else can be masked. */
const shownFilter = ({ filter }: ViewRow, isMasked: boolean): StoredFilter =>
  isMasked && typeof filter['search'] === 'string'
    ? { ...filter, search: maskPhonesIn(filter['search']) }
    : filter
