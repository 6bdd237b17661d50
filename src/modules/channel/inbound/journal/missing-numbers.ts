import type { Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { phoneNumberIdsIn, type ReadChange } from '../../../../platform/webhook/body'
import { missingNumbers } from '../process/route'
import { RECEIVED_ELSEWHERE } from '../select'
import { countUnroutedIn } from '../stats/hourly'
import { writeEventIn, type InboundEventRow } from './row'

/**
 * Adds unrouted rows for those numbers of a change that are not here, beside the row of the change, in
 * the caller's transaction: each number that comes here later, or comes back, finds its part. Only
 * changes of preferences name several numbers. Does nothing without other cells, and for a change that
 * another cell passed on because of a number that is here.
 */
export function insertMissingIn(
  tx: Tx,
  deps: Deps,
  { event, change, cell }: { event: InboundEventRow; change: ReadChange; cell: string },
): void {
  if ((deps.settings.cells?.peers ?? []).length === 0) return
  const named = phoneNumberIdsIn(change)
  if (named.length < 2) return
  const missing = missingNumbers(deps, change)
  const isPartly = missing.length < named.length
  if (isPartly && cell !== '') return
  for (const phoneNumberId of missing) {
    // The row of a change of which no number is here is about its first one.
    if (!isPartly && phoneNumberId === change.phoneNumberId) continue
    const row: InboundEventRow = {
      ...event,
      ...{ id: deps.ids.next(), phoneNumberId, state: 'unrouted' },
      ...{ reason: cell === '' ? null : RECEIVED_ELSEWHERE, processedAtMs: deps.clock.nowMs() },
    }
    writeEventIn(tx, deps, row)
    countUnroutedIn(tx, deps, row, 1)
  }
}
