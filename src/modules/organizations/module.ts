import type { Module } from '../../http/module'
import { organizationRoutes } from './routes'
import { settingsRoutes } from './settings/routes'

export const organizationsModule: Module = {
  name: 'organizations',
  routes: ({ http }) => [organizationRoutes(http), settingsRoutes(http)],
}
