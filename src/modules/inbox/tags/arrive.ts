import type { Arrival } from '../../../infra/arrival'

/** How tags arrive: triggers count their contacts anew. */
export const tagArrival: Arrival = { change: (row) => ({ ...row, contact_count: 0 }) }
