import type { Arrival } from '../../../infra/arrival'
import { indexEntry } from './search-index'

/** How entries of the audit log arrive: in the search index. */
export const auditArrival: Arrival = {
  followIn: (_tx, ctx, row) =>
    indexEntry(ctx.db, { row: Number(row['row']), words: String(row['words']) }),
}
