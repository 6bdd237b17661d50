import type { Module } from '../../http/module'
import { costRoutes } from './costs/routes'
import { analyticsRoutes } from './routes'

export const analyticsModule: Module = {
  name: 'analytics',
  routes: ({ http }) => [analyticsRoutes(http), costRoutes(http)],
}
