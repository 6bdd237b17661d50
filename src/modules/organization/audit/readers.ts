import { reader } from '../../../infra/read/reader'
import { auditFacets } from './facets'
import { auditPage } from './queries'

/** Lists a page of the audit log (`auditPage`). */
export const ListAuditEntries = reader('audit.list', 'list', auditPage)

/** Counts entries by what they can be filtered by (`auditFacets`). */
export const CountAuditEntries = reader('audit.facets', 'long', auditFacets)
