import type { Module } from '../../../http/module'
import { retentionRoutes } from './routes'
import { retentionSchedules, retentionWorkers } from './workers'

export const retentionModule: Module = {
  name: 'retention',
  routes: ({ http }) => [retentionRoutes(http)],
  workers: retentionWorkers,
  schedules: retentionSchedules,
}
