import type { Module } from '../../http/module'
import { callRoutes } from './routes'
import { callSchedules, callWorkers } from './workers'

export const callsModule: Module = {
  name: 'calls',
  routes: ({ http }) => [callRoutes(http)],
  workers: callWorkers,
  schedules: callSchedules,
}
