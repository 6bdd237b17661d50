import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { notes } from './table'

/**
 * Hands the notes about one contact to another, all or those with these ids, in the caller's
 * transaction. Returns their ids.
 */
export function moveNotesIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; ids?: string[] },
): string[] {
  const chosen =
    move.ids === undefined
      ? undefined
      : sql`${notes.id} in (select value from json_each(${JSON.stringify(move.ids)}))`
  return tx
    .update(notes)
    .set({ contactId: move.to })
    .where(inOrganization(ctx, notes, and(eq(notes.contactId, move.from), chosen)))
    .returning({ id: notes.id })
    .all()
    .map(({ id }) => id)
}

/** Notes deleted in one transaction. */
const AT_ONCE = 500

/**
 * Deletes up to 500 notes about a contact for good, in the transaction that erases it. Returns how
 * many went.
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
 * Deletes up to 500 notes written before a moment, in the caller's transaction. Returns whether
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
