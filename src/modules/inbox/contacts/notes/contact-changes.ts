import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { notes } from './table'
import { uuidsIn } from '../../../../infra/db/compiled'

/**
 * Moves all notes about a contact, or those with the given IDs, to another contact. Runs inside the
 * caller's transaction. Returns their IDs.
 */
export function moveNotesIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; ids?: string[] },
): string[] {
  const chosen =
    move.ids === undefined ? undefined : sql`${notes.id} in ${uuidsIn(JSON.stringify(move.ids))}`
  return tx
    .update(notes)
    .set({ contactId: move.to })
    .where(inOrganization(ctx, notes, and(eq(notes.contactId, move.from), chosen)))
    .returning({ id: notes.id })
    .all()
    .map(({ id }) => id)
}

/** Maximum number of notes deleted in one transaction. */
const AT_ONCE = 500

/**
 * Deletes up to 500 notes about a contact, in the transaction that erases it. Returns the number
 * deleted.
 */
export function eraseNotesIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: notes.id })
    .from(notes)
    .where(inOrganization(ctx, notes, eq(notes.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(notes)
      .where(inOrganization(ctx, notes, inArray(notes.id, ids)))
      .run()
  return ids.length
}

/**
 * Deletes up to 500 notes created before `beforeMs`, in the caller's transaction. Returns whether
 * there may be more.
 */
export function eraseNotesBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  const old = tx
    .select({ id: notes.id })
    .from(notes)
    .where(inOrganization(ctx, notes, lt(notes.createdAtMs, beforeMs)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (old.length > 0)
    tx.delete(notes)
      .where(inOrganization(ctx, notes, inArray(notes.id, old)))
      .run()
  return old.length === AT_ONCE
}
