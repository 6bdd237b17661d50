import { contactWork } from './contacts/import-row'
import { tagWork } from './tags/import-row'
import type { ImportRow } from './view'
import type { Work } from './importer'

/**
 * How the rows of an import of contacts or tags are worked off; those of a campaign are by the
 * campaigns.
 */
export const workOf = (row: Pick<ImportRow, 'target'>): Work<unknown> =>
  // each reads what it itself has written
  (row.target === 'contacts' ? contactWork : tagWork) as unknown as Work<unknown>
