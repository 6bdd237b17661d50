import type { Module } from '../../http/module'
import { carried, derived } from '../../infra/table-fates'
import { auditRoutes } from './routes'
import { auditLogs } from './table'

export const auditModule: Module = {
  name: 'audit',
  tables: [carried(auditLogs), derived('audit_search', 'index of audit_logs')],
  routes: ({ http }) => [auditRoutes(http)],
}
