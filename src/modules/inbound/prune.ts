import { and, eq, inArray, lt, notInArray } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import type { Deps } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { inboundBodies, inboundEvents } from './table'

const BATCH = 200

/** Deletes a batch of deliveries older than the journal keeps them (JOURNAL_DAYS) with their changes; those still to be worked off stay. Returns how many went. */
export function pruneJournal(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const unfinished = tx
      .select({ bodyId: inboundEvents.bodyId })
      .from(inboundEvents)
      .where(inArray(inboundEvents.state, ['pending', 'processing']))
    const old = tx
      .select({ id: inboundBodies.id })
      .from(inboundBodies)
      .where(
        and(
          lt(inboundBodies.receivedAtMs, deps.clock.nowMs() - deps.settings.journalDays * DAY_MS),
          notInArray(inboundBodies.id, unfinished),
        ),
      )
      .orderBy(inboundBodies.receivedAtMs)
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    for (const id of old) tx.delete(inboundEvents).where(eq(inboundEvents.bodyId, id)).run()
    if (old.length > 0) tx.delete(inboundBodies).where(inArray(inboundBodies.id, old)).run()
    return old.length
  })
}
