import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { indexChunks } from './chunks/search-index'

/** How contexts arrive: a document that was being read must be uploaded again. */
export const contextArrival: Arrival = {
  change: (row, { isMove }) =>
    row['document_state'] === 'reading' && !isMove
      ? {
          ...row,
          document_state: 'failed',
          document_error:
            'The organization was imported before the document was read. Upload it again.',
          stored_as: null,
        }
      : row,
}

/** How chunks arrive: in the search index. */
export const chunkArrival: Arrival = {
  followIn: (_tx: Tx, ctx: Ctx, row: StoredRow) =>
    indexChunks(ctx.db, [
      {
        row: Number(row['row']),
        contextId: bytesToUuid(row['context_id'] as Uint8Array),
        text: String(row['text']),
      },
    ]),
}
