import { contactWork } from './contact-work'
import { tagWork } from './tag-work'
import type { ImportRow } from './view'
import type { Work } from './work'

/**
 * How the rows of an import of contacts or tags are worked off; those of a campaign are by the
 * campaigns.
 */
export const workOf = (row: Pick<ImportRow, 'target'>): Work<unknown> =>
  // each reads what it itself has written
  (row.target === 'contacts' ? contactWork : tagWork) as unknown as Work<unknown>
