import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { given, of } from '../../../infra/scoped'
import { contactTags } from '../contacts/table'
import { tags } from './table'
import { tagKey, type TagRow } from './queries'

/**
 * Data to undo the import of a tag: a new one is deleted, any other gets its former name and color
 * back.
 */
export interface TagUndo {
  /** Time of the change, epoch milliseconds. A tag changed later is not reverted. */
  atMs: number
  /** Time of the change before, epoch milliseconds. Missing in data of earlier versions. */
  formerAtMs?: number
  former: Pick<TagRow, 'name' | 'color'> | null
}

/**
 * Creates an imported tag. The audit log records the import as a whole. Runs inside the caller's
 * transaction.
 */
export function importTagIn(
  tx: Tx,
  ctx: Ctx,
  imported: Pick<TagRow, 'name' | 'color'>,
): { id: string; undo: TagUndo } {
  const nowMs = ctx.clock.nowMs()
  const id = ctx.ids.next()
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  of(ctx, tags).insert(tx, { ...imported, id, nameKey: tagKey(imported.name), ...times })
  return { id, undo: { atMs: nowMs, former: null } }
}

/**
 * Updates the spelling and color of a tag from an imported row. Returns the data to undo it, or
 * `null` if nothing changed. Runs inside the caller's transaction.
 */
export function updateImportedTagIn(
  tx: Tx,
  ctx: Ctx,
  before: TagRow,
  imported: Pick<TagRow, 'name' | 'color'>,
): TagUndo | null {
  if (before.name === imported.name && before.color === imported.color) return null
  const nowMs = ctx.clock.nowMs()
  setIn(tx, ctx, before.id, imported)
  return {
    atMs: nowMs,
    formerAtMs: before.updatedAtMs,
    former: { name: before.name, color: before.color },
  }
}

const setIn = (
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Pick<TagRow, 'name' | 'color'> & Partial<Pick<TagRow, 'updatedAtMs'>>,
): void => {
  const { updatedAtMs = ctx.clock.nowMs() } = set
  of(ctx, tags).update(tx, { id }, { ...set, nameKey: tagKey(set.name), updatedAtMs })
}

/**
 * Undoes the import of a tag. Returns `false` without any effect if the tag was changed since or a
 * contact has it. Runs inside the caller's transaction.
 */
export function revertTagIn(tx: Tx, ctx: Ctx, id: string, undo: TagUndo): boolean {
  const own = of(ctx, tags)
  const row = own.find({ id, updatedAtMs: undo.atMs })
  const isCarried = of(ctx, contactTags).find({ tagId: id }) !== null // by deleted contacts, too
  if (!row || (undo.former === null && isCarried)) return false
  if (undo.former === null) own.delete(tx, { id })
  else setIn(tx, ctx, id, { ...undo.former, ...given({ updatedAtMs: undo.formerAtMs }) })
  return true
}
