import { inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { PersonGone } from '../contacts/events'
import { personFinderIn } from '../contacts/search/names-person'
import type { StoredFilter } from './row'
import { views } from './table'

/**
 * Deletes the saved views that search for a person who is being erased, in the transaction of the
 * erasure: without the search they would show everybody.
 */
export function eraseViewsIn(tx: Tx, ctx: Ctx, { contactIds, gone }: PersonGone): void {
  const isOfPerson = personFinderIn(tx, ctx, contactIds)
  const ids = tx
    .select({ id: views.id, filter: views.filter })
    .from(views)
    .where(inOrganization(ctx, views, sql`${views.filter} ->> 'search' is not null`))
    .all()
    .filter(({ filter }) => isOfPerson(String((JSON.parse(filter) as StoredFilter)['search'])))
    .map(({ id }) => id)
  tx.delete(views)
    .where(inOrganization(ctx, views, inArray(views.id, ids)))
    .run()
  gone.counts['views'] = ids.length
  gone.ids.push(...ids)
}
