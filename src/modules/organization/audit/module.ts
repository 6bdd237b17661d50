import type { Module } from '../../../http/module'
import { carried, fullText } from '../../../infra/table-fates'
import { auditRoutes } from './routes'
import { auditLogs } from './table'

export const auditModule: Module = {
  name: 'audit',
  tables: [carried(auditLogs), fullText('audit_search', auditLogs)],
  routes: ({ http }) => [auditRoutes(http)],
}
