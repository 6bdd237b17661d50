import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import type { BoardChanges, BoardView, StoredWidget } from './model'
import { DEFAULT_WIDGETS, sizeOf, targetsOf } from './widgets'
import { boards } from './table'
import { liveIds } from './targets'
import { readWidgets } from './validate'

/** Stands for the organization, whose board people without one of their own see. */
const ORGANIZATION = ''

function findWidgets(ctx: Ctx, userId: string): StoredWidget[] | null {
  const row = ctx.db.orm
    .select({ widgets: boards.widgets })
    .from(boards)
    .where(inOrganization(ctx, boards, eq(boards.userId, userId)))
    .get()
  return row ? (JSON.parse(row.widgets) as StoredWidget[]) : null
}

/** Returns the caller's board, else that of the organization. */
export function getOwnBoard(ctx: Ctx): BoardView {
  const own = findWidgets(ctx, ctx.actor.userId ?? '')
  return own ? viewOf(ctx, own, false) : { ...getOrganizationBoard(ctx), is_default: true }
}

/** Returns the board that people without a board of their own see. */
export function getOrganizationBoard(ctx: Ctx): BoardView {
  const widgets = findWidgets(ctx, ORGANIZATION)
  return viewOf(ctx, widgets ?? [...DEFAULT_WIDGETS], widgets === null)
}

const viewOf = (ctx: Ctx, widgets: StoredWidget[], isDefault: boolean): BoardView => ({
  widgets: widgets.map((widget) => ({
    ...widget,
    size: widget.size ?? sizeOf(widget),
    problem: targetsOf(widget).every(({ target, id }) => liveIds(ctx, target, [id]).has(id))
      ? null
      : 'deleted',
  })),
  is_default: isDefault,
})

/** Replaces the widgets of the caller's board. Throws InvalidError. */
export const updateOwnBoard = (ctx: Ctx, changes: BoardChanges): BoardView =>
  save(ctx, ctx.actor.userId ?? '', changes)

/** Replaces the widgets of the organization's board. Throws InvalidError. */
export const updateOrganizationBoard = (ctx: Ctx, changes: BoardChanges): BoardView =>
  save(ctx, ORGANIZATION, changes)

function save(ctx: Ctx, userId: string, { widgets }: BoardChanges): BoardView {
  return transact(ctx.db, (tx) => {
    const before = findWidgets(ctx, userId) ?? findWidgets(ctx, ORGANIZATION) ?? []
    const kept = new Set(before.flatMap(targetsOf).map(({ id }) => id))
    const read = readWidgets(ctx, widgets, kept)
    const set = { widgets: JSON.stringify(read), updatedAtMs: ctx.clock.nowMs() }
    tx.insert(boards)
      .values({ organizationId: ctx.organizationId, userId, ...set })
      .onConflictDoUpdate({ target: [boards.organizationId, boards.userId], set })
      .run()
    if (userId === ORGANIZATION)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'board',
        resourceId: ctx.organizationId,
        resourceName: null,
      })
    return viewOf(ctx, read, false)
  })
}

/** Deletes the caller's board, so that they see that of the organization again. */
export function resetOwnBoard(ctx: Ctx): void {
  transact(ctx.db, (tx) => {
    tx.delete(boards)
      .where(inOrganization(ctx, boards, eq(boards.userId, ctx.actor.userId ?? '')))
      .run()
  })
}
