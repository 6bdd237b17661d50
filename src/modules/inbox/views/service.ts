import { and, count, eq, inArray, max, sql } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { collection } from '../../organization/audit/collection'
import type { PersonGone } from '../contacts/events'
import { personFinderIn } from '../contacts/search/names-person'
import { readFilter } from './filter'
import type { NewView, SavedView, ViewChanges } from './model'
import { getOwnView, requireSharing, savedViews } from './queries'
import { views, type ViewRow } from './table'

/** How many private views a person can have, and shared ones an organization. */
export const MAX_VIEWS = { own: 50, shared: 100 }

/** Views as the audit log records them: only shared ones, as private ones concern nobody else. */
const changed = collection({
  table: views,
  name: 'View',
  resourceType: 'view',
  isRecorded: ({ isShared }) => isShared,
  recorded: ({ name, isShared, position, filter }) => ({
    name,
    is_shared: isShared,
    position,
    filter: Object.keys(filter).join(', '), // its values may be personal data
  }),
})

/**
 * Saves a view. Throws ForbiddenError for a shared view without `contacts:update`, InvalidError for an invalid filter, and ConflictError `limit_reached`.
 */
export function createView(ctx: Ctx, input: NewView): SavedView {
  const { resource, is_shared: isShared = false } = input
  if (isShared) requireSharing(ctx)
  return transact(ctx.db, (tx) => {
    const filter = readFilter(ctx, resource, { filter: input.filter, isShared, before: null })
    const { position } = requireRoom(ctx, isShared)
    const row = changed.addIn(tx, ctx, {
      ownerId: ctx.actor.userId ?? '',
      name: input.name.trim(),
      resource,
      filter,
      isShared,
      position: input.position ?? position,
    })
    return viewOf(ctx, row)
  })
}

/**
 * Changes the given fields of a view. Throws NotFoundError and the errors of {@link createView}.
 */
export function updateView(ctx: Ctx, id: string, changes: ViewChanges): SavedView {
  return transact(ctx.db, (tx) => {
    const before = getOwnView(ctx, id)
    const { is_shared: isShared = before.isShared, position } = changes
    if (isShared) requireSharing(ctx)
    const isReread = changes.filter !== undefined || isShared !== before.isShared
    const asked = { filter: changes.filter ?? before.filter, isShared, before: before.filter }
    const filter = isReread ? readFilter(ctx, before.resource, asked) : before.filter
    if (isShared !== before.isShared) requireRoom(ctx, isShared)
    // A shared view that becomes private belongs to the person who made it so.
    const ownerId = before.isShared && !isShared ? (ctx.actor.userId ?? '') : before.ownerId
    const name = changes.name?.trim()
    const row = changed.changeIn(tx, ctx, before, { filter, isShared, ownerId, name, position })
    return viewOf(ctx, row)
  })
}

/**
 * Deletes a view. Throws NotFoundError, and ForbiddenError for a shared one without
 * `contacts:update`.
 */
export function deleteView(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => changed.deleteIn(tx, ctx, getOwnView(ctx, id)))
}

/**
 * Deletes the private views of a member, in the transaction that ends the membership. Shared ones
 * stay.
 */
export function deletePrivateViewsIn(tx: Tx, ctx: Ctx, userId: string): void {
  of(ctx, views).delete(tx, { ownerId: userId, isShared: false })
}

/** Returns the only view of a row as the API shows it. */
function viewOf(ctx: Ctx, row: ViewRow): SavedView {
  const [view] = savedViews(ctx, [row])
  if (!view) throw new Error('the view was not shown')
  return view
}

/**
 * Requires room for one more view, and returns the position after the last one. Throws
 * ConflictError `limit_reached`.
 */
function requireRoom(ctx: Ctx, isShared: boolean): { position: number } {
  const found = ctx.db.orm
    .select({ rows: count(), last: max(views.position) })
    .from(views)
    .where(
      inOrganization(
        ctx,
        views,
        isShared
          ? sql`${views.isShared} = 1`
          : and(eq(views.ownerId, ctx.actor.userId ?? ''), eq(views.isShared, false)),
      ),
    )
    .get()
  const most = isShared ? MAX_VIEWS.shared : MAX_VIEWS.own
  if ((found?.rows ?? 0) >= most)
    throw new ConflictError(
      isShared
        ? `The organization has ${most} shared views. Delete one first.`
        : `You have ${most} views. Delete one first.`,
      { code: 'limit_reached' },
    )
  return { position: Math.min((found?.last ?? -1) + 1, MAX_POSITION) }
}

const MAX_POSITION = 10_000

/**
 * Deletes the saved views that search for a person who is being erased, in the transaction of the
 * erasure: without the search they would show everybody.
 */
export function eraseViewsIn(tx: Tx, ctx: Ctx, { contactIds, gone }: PersonGone): void {
  const isOfPerson = personFinderIn(tx, ctx, contactIds)
  const ids = tx
    .select({ id: views.id, filter: views.filter })
    .from(views)
    .where(inOrganization(ctx, views, sql`${views.filter} ->> 'search' is not null`))
    .all()
    .filter(({ filter }) => isOfPerson(String(filter['search'])))
    .map(({ id }) => id)
  of(ctx, views).delete(tx, inArray(views.id, ids))
  gone.counts['views'] = ids.length
  gone.ids.push(...ids)
}
