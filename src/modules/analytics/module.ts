import type { Module } from '../../http/module'
import { analyticsRoutes } from './routes'

export const analyticsModule: Module = {
  name: 'analytics',
  routes: ({ http }) => [analyticsRoutes(http)],
}
