import type { Http } from '../../../http/http-deps'
import type { Module } from '../../../http/module'
import type { Schedule } from '../../../infra/jobs/define-schedule'
import type { Sources } from './metrics/collect'
import type { Lifecycle } from './readiness'
import { jobRoutes, healthRoutes, metricsRoutes, adminRoutes } from './routes'
import { backupRoutes } from './backups/routes'
import { setupRoutes } from './setup/routes'
import { systemSchedules, systemWorkers } from './workers'

export const systemModule: Module<{
  http: Http
  registry: { schedules: Schedule[] }
  lifecycle: Lifecycle
  realtime: { sockets: Sources['sockets'] }
}> = {
  name: 'system',
  routes: ({ http, registry, lifecycle, realtime: { sockets } }) => [
    jobRoutes(http, registry.schedules),
    healthRoutes(http, lifecycle),
    metricsRoutes(http, { lifecycle, sockets }),
    adminRoutes(http, { lifecycle, sockets }),
    backupRoutes(http),
    setupRoutes(http, lifecycle),
  ],
  workers: systemWorkers,
  schedules: systemSchedules,
}
