import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
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
  tx.insert(tags)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...imported,
      nameKey: tagKey(imported.name),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
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
  setIn(tx, ctx, before.id, imported, nowMs)
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
  set: Pick<TagRow, 'name' | 'color'>,
  atMs = ctx.clock.nowMs(),
): void => {
  tx.update(tags)
    .set({ ...set, nameKey: tagKey(set.name), updatedAtMs: atMs })
    .where(inOrganization(ctx, tags, eq(tags.id, id)))
    .run()
}

/**
 * Undoes the import of a tag. Returns `false` without any effect if the tag was changed since or a
 * contact has it. Runs inside the caller's transaction.
 */
export function revertTagIn(tx: Tx, ctx: Ctx, id: string, undo: TagUndo): boolean {
  const row = tx
    .select()
    .from(tags)
    .where(inOrganization(ctx, tags, and(eq(tags.id, id), eq(tags.updatedAtMs, undo.atMs))))
    .get()
  if (!row || (undo.former === null && isCarried(tx, ctx, id))) return false
  if (undo.former !== null) setIn(tx, ctx, id, undo.former, undo.formerAtMs)
  else
    tx.delete(tags)
      .where(inOrganization(ctx, tags, eq(tags.id, id)))
      .run()
  return true
}

/** Reports whether a contact has the tag, deleted contacts included. */
const isCarried = (tx: Tx, ctx: Ctx, tagId: string): boolean =>
  tx
    .select({ id: contactTags.contactId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.tagId, tagId)))
    .limit(1)
    .get() !== undefined
