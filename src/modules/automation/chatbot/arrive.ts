import type { Arrival } from '../../../infra/arrival'

/** How sessions of the bot arrive: active ones have ended, without a message. */
export const botSessionArrival: Arrival = {
  change: (row, { nowMs, isMove }) =>
    row['status'] === 'active' && !isMove
      ? {
          ...row,
          status: 'failed',
          waiting_for: null,
          expires_at_ms: null,
          ended_at_ms: nowMs,
          end_reason: 'restored',
        }
      : row,
}

/** Messages that wait for the bot stay behind: their customers may have been answered. */
export const botInboxArrival: Arrival = {
  change: (row, { isMove }) => (isMove ? row : null),
}
