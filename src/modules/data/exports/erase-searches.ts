import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { PersonGone } from '../../inbox/contacts/events'
import { personFinderIn } from '../../inbox/contacts/search/names-person'
import { changeExportIn } from './state'
import { exports_ } from './table'
import { optionsOf, type ExportRow } from './view'

const ENDED: Partial<ExportRow> = {
  status: 'failed',
  error: JSON.stringify({
    code: 'person_erased',
    message: 'The export searched for a person who was erased.',
  }),
}

/**
 * Removes searches for a person who is being erased from exports, in the transaction of the erasure.
 * Ends those that are not written yet: without the search they would contain everybody.
 */
export function eraseSearchesIn(tx: Tx, ctx: Ctx, { contactIds, gone }: PersonGone): void {
  const isOfPerson = personFinderIn(tx, ctx, contactIds)
  const searched = tx
    .select()
    .from(exports_)
    .where(
      inOrganization(
        ctx,
        exports_,
        and(
          eq(exports_.source, 'contacts'),
          sql`${exports_.options} ->> '$.filters.search' is not null`,
        ),
      ),
    )
    .all()
    .filter((row) => isOfPerson(optionsOf(row).filters.search ?? ''))
  for (const row of searched) {
    const { filters, ...options } = optionsOf(row)
    const { search: _search, ...others } = filters
    const isOpen = row.status === 'queued' || row.status === 'running'
    changeExportIn(tx, ctx, row.id, {
      options: JSON.stringify({ ...options, filters: others }),
      ...(isOpen ? { ...ENDED, finishedAtMs: ctx.clock.nowMs() } : {}),
    })
  }
  gone.counts['export_searches'] = searched.length
}
