import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { privacyRoutes } from './routes'
import { privacySchedules, privacyWorkers } from './workers'
import { privacyRequests } from './table'

export const privacyModule: Module = {
  name: 'privacy',
  tables: [carried(privacyRequests, { hasFiles: true })],
  routes: ({ http }) => [privacyRoutes(http)],
  workers: privacyWorkers,
  schedules: privacySchedules,
}
