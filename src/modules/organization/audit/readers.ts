import { reader } from '../../../infra/read/reader'
import { auditPage } from './queries'

/** Lists a page of the audit log (`auditPage`). */
export const ListAuditEntries = reader('audit.list', 'list', auditPage)
