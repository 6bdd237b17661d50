import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { timelineEntries } from './table'

interface Move {
  from: string
  to: string
}

/** Moves the entries of a contact to another one, in the transaction of their merge. */
export function moveTimelineIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  tx.update(timelineEntries)
    .set({ contactId: to })
    .where(inOrganization(ctx, timelineEntries, eq(timelineEntries.contactId, from)))
    .run()
}

/** Gives a contact its own entries back, in the transaction that undoes a merge. */
export function separateTimelineIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  tx.update(timelineEntries)
    .set({ contactId: to })
    .where(
      inOrganization(
        ctx,
        timelineEntries,
        and(eq(timelineEntries.contactId, from), eq(timelineEntries.formerContactId, to)),
      ),
    )
    .run()
}

/** Entries deleted in one step. */
const ERASED_AT_ONCE = 500

/**
 * Deletes a batch of the entries of a contact, in the transaction that erases it. Returns their
 * number; 0 at the end.
 */
export function eraseTimelineIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: timelineEntries.id })
    .from(timelineEntries)
    .where(inOrganization(ctx, timelineEntries, eq(timelineEntries.contactId, contactId)))
    .limit(ERASED_AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(timelineEntries)
      .where(inOrganization(ctx, timelineEntries, inArray(timelineEntries.id, ids)))
      .run()
  return ids.length
}
