import type { Module } from '../../http/module'
import { transferHooks } from './hooks'
import { transferActionRoutes, transferRoutes } from './routes'
import { transferSchedules, transferWorkers } from './workers'

export const transfersModule: Module = {
  name: 'transfers',
  routes: ({ http }) => [transferRoutes(http), transferActionRoutes(http)],
  workers: transferWorkers,
  schedules: transferSchedules,
  hooks: transferHooks,
}
