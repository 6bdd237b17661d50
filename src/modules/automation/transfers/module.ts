import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { transferHooks } from './hooks'
import { handOverRoutes, transferActionRoutes, transferRoutes } from './routes'
import { transferSubscribers } from './subscribers'
import { transferSchedules, transferWorkers } from './workers'
import { transferChanges, transfers } from './table'

export const transfersModule: Module = {
  name: 'transfers',
  tables: [carried(transfers), carried(transferChanges)],
  routes: ({ http }) => [transferRoutes(http), transferActionRoutes(http), handOverRoutes(http)],
  workers: transferWorkers,
  schedules: transferSchedules,
  subscribers: transferSubscribers,
  hooks: transferHooks,
}
