import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { LOST_AFTER_RESTORE } from './outbound/mark-unknown-after-restore'
import { indexNewWordsIn } from './search-index'

const PENDING = new Set<unknown>([
  'queued',
  'held',
  'uploading',
  'sending',
  'retry_wait',
  'ambiguous',
])

/** Marks an unsent message as unknown: it may have been sent where it came from. */
function endArriving(row: StoredRow): StoredRow {
  if (!PENDING.has(row['stage'])) return row
  return {
    ...row,
    stage: 'unknown',
    status: 'unknown',
    held_reason: null,
    error: JSON.stringify(LOST_AFTER_RESTORE),
  }
}

function indexArrivedIn(tx: Tx, ctx: Ctx, row: StoredRow): void {
  indexNewWordsIn(
    tx,
    ctx,
    {
      row: Number(row['row']),
      contactId: bytesToUuid(row['contact_id'] as Uint8Array),
      type: String(row['type']),
    },
    JSON.parse(String(row['content'])) as Record<string, unknown>,
  )
}

/**
 * How messages arrive: found by their words. Nothing of them is sent, unless they moved here with the
 * jobs that send them.
 */
export const messageArrival: Arrival = {
  change: (row, { isMove }) => (isMove ? row : endArriving(row)),
  followIn: indexArrivedIn,
}
