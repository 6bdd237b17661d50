import { contactWork } from './contacts/import-row'
import { tagWork } from './tags/import-row'
import type { ImportRow } from './view'
import type { FileImportWork } from './importer'

/** Returns the importer of contacts or tags. Campaigns provide the one for recipients. */
export const workOf = (row: Pick<ImportRow, 'target'>): FileImportWork<unknown> =>
  // each importer reads only what it wrote itself
  (row.target === 'contacts' ? contactWork : tagWork) as unknown as FileImportWork<unknown>
