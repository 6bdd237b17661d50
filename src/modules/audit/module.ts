import type { Module } from '../../http/module'
import { auditRoutes } from './routes'

export const auditModule: Module = {
  name: 'audit',
  routes: ({ http }) => [auditRoutes(http)],
}
