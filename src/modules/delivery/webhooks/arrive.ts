import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { newestPosition } from '../../../infra/outbox/events'
import { newSigningSecret } from './secrets'
import { startReadingIn } from './log/position'
import { webhookEndpoints } from './table'
import { inOrganization } from '../../../infra/ctx'

const WITHOUT_FAILURES = {
  failing_since_ms: null,
  failures: 0,
  first_failed_id: null,
  down_since_ms: null,
  next_probe_at_ms: null,
  probes: 0,
  notices: 0,
}

/**
 * How endpoints arrive: with the events from now on, and without the failures at the other server.
 * One whose secret stayed behind gets a new one.
 */
export const endpointArrival: Arrival = {
  change: (row, { isMove }) => ({
    ...row,
    secret_sealed: row['secret_sealed'] ?? newSigningSecret(),
    // Events before the end of the import are not theirs; `readFromNowIn` sets the position.
    since_position: Number.MAX_SAFE_INTEGER,
    ...(isMove ? {} : WITHOUT_FAILURES),
  }),
  followIn: (tx, ctx) => startReadingIn(tx, ctx),
}
/** How deliveries arrive: those that were not made are cancelled, and can be sent again. */
export const deliveryArrival: Arrival = {
  change: (row, { isMove }) =>
    row['state'] === 'pending' && !isMove
      ? {
          ...row,
          state: 'cancelled',
          next_attempt_at_ms: null,
          last_error: 'The organization was imported before the delivery was made.',
        }
      : row,
}

/** How replays arrive: stopped. */
export const replayArrival: Arrival = {
  change: (row: StoredRow, { nowMs, isMove }): StoredRow =>
    row['state'] === 'running' && !isMove ? { ...row, state: 'stopped', ended_at_ms: nowMs } : row,
}

/** Lets the endpoints of an imported organization get events from now on. */
export const readFromNowIn = (tx: Tx, ctx: Ctx): void =>
  tx
    .update(webhookEndpoints)
    .set({ sincePosition: newestPosition(ctx) })
    .where(inOrganization(ctx, webhookEndpoints))
    .run()
