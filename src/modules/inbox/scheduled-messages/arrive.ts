import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { enqueue } from '../../../infra/jobs/enqueue'
import { keyOf } from './end'
import { SendScheduled } from './jobs'
import type { ScheduledError } from './row'

const UNKNOWN: ScheduledError = {
  code: 'outcome_unknown',
  message:
    'The organization was imported. The message may have been sent by the server it came from; ' +
    'check before you send it again.',
}

/** Fails a message that is due: it may have been sent where it came from. */
function failDue(row: StoredRow, nowMs: number): StoredRow {
  if (row['state'] !== 'scheduled' || Number(row['send_at_ms']) > nowMs) return row
  return {
    ...row,
    state: 'failed',
    error: JSON.stringify(UNKNOWN),
    ended_at_ms: nowMs,
    updated_at_ms: nowMs,
  }
}

function sendLaterIn(tx: Tx, ctx: Ctx, row: StoredRow, { isMove }: { isMove: boolean }): void {
  if (row['state'] !== 'scheduled' || isMove) return
  const scheduledId = bytesToUuid(row['id'] as Uint8Array)
  enqueue(tx, ctx, SendScheduled, {
    args: { scheduledId },
    runAtMs: Number(row['send_at_ms']),
    orderingKey: keyOf(scheduledId),
  })
}

/** How scheduled messages arrive: due ones have failed, later ones will be sent. */
export const scheduledArrival: Arrival = {
  change: (row, { nowMs, isMove }) => (isMove ? row : failDue(row, nowMs)),
  followIn: sendLaterIn,
}
