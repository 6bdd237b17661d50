import type { Arrival } from '../../../infra/arrival'

/** How transfers arrive: nothing of them is due until their clocks count anew. */
export const transferArrival: Arrival = {
  change: (row, { isMove }) => (isMove ? row : { ...row, due_at_ms: null }),
}
