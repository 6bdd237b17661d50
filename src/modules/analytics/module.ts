import type { Module } from '../../http/module'
import { analyticsRoutes, reportRoutes } from './routes'

export const analyticsModule: Module = {
  name: 'analytics',
  routes: ({ http }) => [analyticsRoutes(http), reportRoutes(http)],
}
