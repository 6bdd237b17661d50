import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { contactTags } from '../contacts/table'
import { tagKey, type TagRow } from './service'
import { tags } from './table'

/**
 * What takes back what a file did to a tag: a new one goes, of any other the former name and colour
 * return.
 */
export interface TagUndo {
  /** Epoch milliseconds of the change: a tag that was changed later stays as it is. */
  atMs: number
  /** Epoch milliseconds of the change before this one; not there in what earlier versions noted. */
  formerAtMs?: number
  former: Pick<TagRow, 'name' | 'color'> | null
}

/**
 * Makes a tag that a file brings, in the caller's transaction; the import is recorded as a whole.
 */
export function importTagIn(
  tx: Tx,
  ctx: Ctx,
  brought: Pick<TagRow, 'name' | 'color'>,
): { id: string; undo: TagUndo } {
  const nowMs = ctx.clock.nowMs()
  const id = ctx.ids.next()
  tx.insert(tags)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...brought,
      nameKey: tagKey(brought.name),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
  return { id, undo: { atMs: nowMs, former: null } }
}

/**
 * Changes the spelling and colour of a tag as a file says, in the caller's transaction. Returns
 * what takes it back; `null` when nothing is new.
 */
export function updateImportedTagIn(
  tx: Tx,
  ctx: Ctx,
  before: TagRow,
  brought: Pick<TagRow, 'name' | 'color'>,
): TagUndo | null {
  if (before.name === brought.name && before.color === brought.color) return null
  const nowMs = ctx.clock.nowMs()
  setIn(tx, ctx, before.id, brought, nowMs)
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
 * Takes back what a file did to a tag, in the caller's transaction. Returns whether it could be:
 * not when it was changed since, or is carried by somebody.
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

/** Whether contacts carry a tag, deleted ones included. */
const isCarried = (tx: Tx, ctx: Ctx, tagId: string): boolean =>
  tx
    .select({ id: contactTags.contactId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.tagId, tagId)))
    .limit(1)
    .get() !== undefined
