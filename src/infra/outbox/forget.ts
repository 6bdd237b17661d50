import { and, eq } from 'drizzle-orm'

import type { Ctx } from '../ctx'
import type { Tx } from '../db'
import { events } from './table'

/** What an event is called of which nothing is known any more but its number. */
const FORGOTTEN = 'forgotten'

/**
 * Takes everything that is about a contact out of the event log, in the transaction that deletes or erases it; the numbers stay, so that
 * sockets go on where they were. Announce the deletion after this.
 */
export function forgetContactIn(tx: Tx, ctx: Ctx, contactId: string): void {
  tx.update(events)
    .set({ type: FORGOTTEN, contactId: null, payload: '{}' })
    .where(and(eq(events.organizationId, ctx.organizationId), eq(events.contactId, contactId)))
    .run()
}
