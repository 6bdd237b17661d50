import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { callRoutes } from './routes'
import { callSchedules, callWorkers } from './workers'
import { calls } from './table'

export const callsModule: Module = {
  name: 'calls',
  tables: [carried(calls)],
  routes: ({ http }) => [callRoutes(http)],
  workers: callWorkers,
  schedules: callSchedules,
}
