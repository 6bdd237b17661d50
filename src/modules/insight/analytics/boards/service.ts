import { eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { getOrganization } from '../../../organization/organizations/service'
import type { BoardChanges, BoardView, StoredWidget } from './model'
import { DEFAULT_WIDGETS, sizeOf, targetsOf } from './widgets'
import { boards } from './table'
import { liveIds } from './targets'
import { readWidgets } from './validate'

/** Stands for the organization, whose board people without one of their own see. */
const ORGANIZATION = ''

/** A board as it is read: its widgets, and when they were stored. */
interface StoredBoard {
  widgets: StoredWidget[]
  updatedAtMs: number
}

function findBoard(ctx: Ctx, userId: string): StoredBoard | null {
  const row = ctx.db.orm
    .select({ widgets: boards.widgets, updatedAtMs: boards.updatedAtMs })
    .from(boards)
    .where(inOrganization(ctx, boards, eq(boards.userId, userId)))
    .get()
  return row ? { ...row, widgets: JSON.parse(row.widgets) as StoredWidget[] } : null
}

/** Returns the caller's board, else that of the organization. */
export function getOwnBoard(ctx: Ctx): BoardView {
  const own = findBoard(ctx, ctx.actor.userId ?? '')
  return own ? viewOf(ctx, own, false) : { ...getOrganizationBoard(ctx), is_default: true }
}

/** Returns the board that people without a board of their own see. */
export function getOrganizationBoard(ctx: Ctx): BoardView {
  const stored = findBoard(ctx, ORGANIZATION)
  const { createdAtMs: updatedAtMs } = getOrganization(ctx)
  return viewOf(ctx, stored ?? { widgets: [...DEFAULT_WIDGETS], updatedAtMs }, stored === null)
}

const viewOf = (
  ctx: Ctx,
  { widgets, updatedAtMs }: StoredBoard,
  isDefault: boolean,
): BoardView => ({
  widgets: widgets.map((widget) => ({
    ...widget,
    size: widget.size ?? sizeOf(widget),
    problem: targetsOf(widget).every(({ target, id }) => liveIds(ctx, target, [id]).has(id))
      ? null
      : 'deleted',
  })),
  is_default: isDefault,
  updated_at: isoTime(updatedAtMs),
})

/** Replaces the widgets of the caller's board. Throws InvalidError. */
export const updateOwnBoard = (ctx: Ctx, changes: BoardChanges): BoardView =>
  save(ctx, ctx.actor.userId ?? '', changes)

/** Replaces the widgets of the organization's board. Throws InvalidError. */
export const updateOrganizationBoard = (ctx: Ctx, changes: BoardChanges): BoardView =>
  save(ctx, ORGANIZATION, changes)

function save(ctx: Ctx, userId: string, { widgets }: BoardChanges): BoardView {
  return transact(ctx.db, (tx) => {
    const before = findBoard(ctx, userId) ?? findBoard(ctx, ORGANIZATION)
    const kept = new Set((before?.widgets ?? []).flatMap(targetsOf).map(({ id }) => id))
    const read = readWidgets(ctx, widgets, kept)
    const updatedAtMs = ctx.clock.nowMs()
    const set = { widgets: JSON.stringify(read), updatedAtMs }
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
    return viewOf(ctx, { widgets: read, updatedAtMs }, false)
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
