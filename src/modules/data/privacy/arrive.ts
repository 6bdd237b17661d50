import type { Arrival } from '../../../infra/arrival'

const INTERRUPTED =
  'The organization was moved while the request was in progress. Request it again.'

/** How privacy requests arrive: those in progress have failed, and exports may have no file. */
export const privacyRequestArrival: Arrival = {
  change: (row, { nowMs, isFileGone, isMove }) => {
    if (row['state'] === 'running' && !isMove)
      return { ...row, state: 'failed', error: INTERRUPTED, completed_at_ms: nowMs }
    return isFileGone && row['state'] !== 'running'
      ? { ...row, state: 'expired', stored_as: null }
      : row
  },
}
