import type { Module } from '../../http/module'
import { privacyRoutes } from './routes'
import { privacySchedules, privacyWorkers } from './workers'

export const privacyModule: Module = {
  name: 'privacy',
  routes: ({ http }) => [privacyRoutes(http)],
  workers: privacyWorkers,
  schedules: privacySchedules,
}
