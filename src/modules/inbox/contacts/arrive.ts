import type { Arrival } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { indexContactIn } from './search/index-contact'
import { findContact } from './service'

function indexArrivedIn(tx: Tx, ctx: Ctx, id: unknown): void {
  const row = findContact(ctx, bytesToUuid(id as Uint8Array))
  if (row && row.deletedAtMs === null) indexContactIn(tx, ctx, row)
}

/** How contacts arrive: found by their words. */
export const contactArrival: Arrival = {
  followIn: (tx, ctx, row) => indexArrivedIn(tx, ctx, row['id']),
}

/** How the numbers of contacts arrive: their contacts are found by them. */
export const identityArrival: Arrival = {
  followIn: (tx, ctx, row) => {
    if (row['kind'] === 'phone') indexArrivedIn(tx, ctx, row['contact_id'])
  },
}
