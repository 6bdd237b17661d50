import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { organizationRoutes } from './routes'
import { settingsRoutes } from './settings/routes'

export const organizationsModule: Module = {
  name: 'organizations',
  tables: [carried('organizations'), carried('retention_settings')],
  routes: ({ http }) => [organizationRoutes(http), settingsRoutes(http)],
}
