import type { Module } from '../../http/module'
import { transferHooks } from './hooks'
import { transferActionRoutes, transferRoutes } from './routes'
import { transferWorkers } from './workers'

export const transfersModule: Module = {
  name: 'transfers',
  routes: ({ http }) => [transferRoutes(http), transferActionRoutes(http)],
  workers: transferWorkers,
  hooks: transferHooks,
}
