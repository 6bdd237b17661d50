import type { Arrival } from '../../../../infra/arrival'

/** Later than any report: its next time is set when the organization is complete. */
const NOT_YET_MS = Number.MAX_SAFE_INTEGER

/** How scheduled reports arrive: none is due. */
export const reportArrival: Arrival = {
  change: (row, { isMove }) => ({
    ...row,
    next_at_ms: row['next_at_ms'] === null || isMove ? (row['next_at_ms'] ?? null) : NOT_YET_MS,
  }),
}

/** How runs of reports arrive: those in progress are left out. */
export const reportRunArrival: Arrival = {
  change: (row, { nowMs, isMove }) =>
    row['state'] === 'sending' && !isMove ? { ...row, state: 'left_out', ended_at_ms: nowMs } : row,
}

/** How their mails arrive: those that were not sent are left out. */
export const reportMailArrival: Arrival = {
  change: (row, { nowMs, isMove }) =>
    row['state'] === 'pending' && !isMove
      ? { ...row, state: 'left_out', updated_at_ms: nowMs }
      : row,
}
