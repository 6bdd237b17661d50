import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { enqueue } from '../../../infra/jobs/enqueue'
import { WakeConversation } from './jobs'

function wakeLaterIn(tx: Tx, ctx: Ctx, row: StoredRow, { isMove }: { isMove: boolean }): void {
  if (isMove) return
  const { snoozed_until_ms: untilMs } = row
  if (row['state'] !== 'snoozed' || typeof untilMs !== 'number') return
  enqueue(tx, ctx, WakeConversation, {
    args: { conversationId: bytesToUuid(row['id'] as Uint8Array) },
    runAtMs: untilMs,
  })
}

/**
 * How conversations arrive: those that waited for the bot are open, because its sessions have
 * ended. No change waits to be published.
 */
export const conversationArrival: Arrival = {
  change: (row, { isMove }) =>
    isMove
      ? row
      : {
          ...row,
          state: row['state'] === 'pending' ? 'open' : (row['state'] ?? null),
          published_at_ms: null,
          publish_due_at_ms: null,
          unpublished: '[]',
        },
  followIn: wakeLaterIn,
}
