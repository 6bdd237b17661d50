import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { organizationRoutes } from './routes'
import { settingsRoutes } from './settings/routes'
import { organizations } from './table'
import { retentionSettings } from './retention/table'

export const organizationsModule: Module = {
  name: 'organizations',
  tables: [carried(organizations), carried(retentionSettings)],
  routes: ({ http }) => [organizationRoutes(http), settingsRoutes(http)],
}
