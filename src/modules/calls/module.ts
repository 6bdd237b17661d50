import type { Module } from '../../http/module'
import { callRoutes } from './routes'

export const callsModule: Module = {
  name: 'calls',
  routes: ({ http }) => [callRoutes(http)],
}
