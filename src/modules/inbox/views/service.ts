import { and, count, eq, max, sql } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { differences, recordAudit, type FieldChange } from '../../organization/audit/record'
import type { AuditAction } from '../../organization/audit/model'
import { readFilter } from './filter'
import type { NewView, SavedView, ViewChanges } from './model'
import { getOwnView, requireSharing, savedViews } from './queries'
import type { StoredFilter, ViewRow } from './row'
import { views } from './table'

/** How many private views a person can have, and shared ones an organization. */
export const MAX_VIEWS = { own: 50, shared: 100 }

/**
 * Saves a view. Throws ForbiddenError for a shared view without `contacts:update`, InvalidError for an invalid filter, and ConflictError `limit_reached`.
 */
export function createView(ctx: Ctx, input: NewView): SavedView {
  const isShared = input.is_shared ?? false
  if (isShared) requireSharing(ctx)
  return transact(ctx.db, (tx) => {
    const filter = readFilter(ctx, input.resource, { filter: input.filter, isShared, before: null })
    const { position } = requireRoom(tx, ctx, isShared)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(views)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        ownerId: ctx.actor.userId ?? '',
        name: input.name.trim(),
        resource: input.resource,
        filter: JSON.stringify(filter),
        isShared,
        position: input.position ?? position,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    recordShared(tx, ctx, 'created', { row, isShared })
    return viewOf(ctx, row)
  })
}

/**
 * Changes the given fields of a view. Throws NotFoundError and the errors of {@link createView}.
 */
export function updateView(ctx: Ctx, id: string, changes: ViewChanges): SavedView {
  return transact(ctx.db, (tx) => {
    const before = getOwnView(ctx, id)
    const isShared = changes.is_shared ?? before.isShared
    if (isShared) requireSharing(ctx)
    const stored = JSON.parse(before.filter) as StoredFilter
    const isReread = changes.filter !== undefined || isShared !== before.isShared
    const filter = isReread
      ? readFilter(ctx, before.resource, {
          filter: changes.filter ?? stored,
          isShared,
          before: stored,
        })
      : stored
    if (isShared !== before.isShared) requireRoom(tx, ctx, isShared)
    // A shared view that becomes private belongs to the person who made it so.
    const newOwner = before.isShared && !isShared ? { ownerId: ctx.actor.userId ?? '' } : {}
    const row = tx
      .update(views)
      .set({
        filter: JSON.stringify(filter),
        isShared,
        ...newOwner,
        ...(changes.name === undefined ? {} : { name: changes.name.trim() }),
        ...(changes.position === undefined ? {} : { position: changes.position }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, views, eq(views.id, id)))
      .returning()
      .get()
    recordShared(tx, ctx, 'updated', {
      row,
      isShared: isShared || before.isShared,
      changes: differences(auditedOf(before), auditedOf(row)),
    })
    return viewOf(ctx, row)
  })
}

/**
 * Deletes a view. Throws NotFoundError, and ForbiddenError for a shared one without
 * `contacts:update`.
 */
export function deleteView(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getOwnView(ctx, id)
    tx.delete(views)
      .where(inOrganization(ctx, views, eq(views.id, id)))
      .run()
    recordShared(tx, ctx, 'deleted', { row, isShared: row.isShared })
  })
}

/**
 * Deletes the private views of a member, in the transaction that ends the membership. Shared ones
 * stay.
 */
export function deletePrivateViewsIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.delete(views)
    .where(inOrganization(ctx, views, and(eq(views.ownerId, userId), eq(views.isShared, false))))
    .run()
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
function requireRoom(tx: Tx, ctx: Ctx, isShared: boolean): { position: number } {
  const found = tx
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

/** The recorded fields of a view. A filter may hold personal data, so only its change is recorded. */
const auditedOf = (row: ViewRow): Record<string, unknown> => ({
  name: row.name,
  is_shared: row.isShared,
  position: row.position,
  filter: Object.keys(JSON.parse(row.filter) as StoredFilter).join(', '),
})

/** Records a change of a shared view in the audit log. Private views concern nobody else. */
function recordShared(
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  { row, isShared, changes }: { row: ViewRow; isShared: boolean; changes?: FieldChange[] },
): void {
  if (!isShared) return
  recordAudit(tx, ctx, {
    action,
    resourceType: 'view',
    resourceId: row.id,
    resourceName: row.name,
    ...(changes === undefined ? {} : { changes }),
  })
}
