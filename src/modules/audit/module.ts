import type { Module } from '../../http/module'
import { carried, derived } from '../../infra/table-fates'
import { auditRoutes } from './routes'

export const auditModule: Module = {
  name: 'audit',
  tables: [carried('audit_logs'), derived('audit_search', 'index of audit_logs')],
  routes: ({ http }) => [auditRoutes(http)],
}
