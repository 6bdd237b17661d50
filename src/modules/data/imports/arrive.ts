import type { Arrival } from '../../../infra/arrival'

const LIVE = new Set<unknown>(['queued', 'running'])

const INTERRUPTED = JSON.stringify({
  code: 'internal_error',
  message: 'The organization was moved while the import was in progress. Import the file again.',
})

/** How imports of contacts arrive: those in progress have failed. */
export const importArrival: Arrival = {
  change: (row, { nowMs, isFileGone, isMove }) => ({
    ...row,
    ...(isFileGone ? { stored_as: null } : {}),
    ...((LIVE.has(row['status']) && !isMove) || (row['status'] === 'draft' && isFileGone)
      ? { status: 'failed', error: INTERRUPTED, finished_at_ms: nowMs, updated_at_ms: nowMs }
      : {}),
  }),
}
