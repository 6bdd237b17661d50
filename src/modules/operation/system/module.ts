import type { Http } from '../../../http/http-deps'
import type { Module } from '../../../http/module'
import { startPart } from '../../../http/start-parts'
import type { Schedule } from '../../../infra/jobs/define-schedule'
import { ServerAttention } from '../../delivery/realtime/attention/model'
import { installationHealthRoutes } from './health/routes'
import type { HealthWatch } from './health/watch'
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
  health: HealthWatch
  realtime: { sockets: Sources['sockets'] }
}> = {
  name: 'system',
  startParts: ({ health }) => [
    startPart({
      name: 'server_attention',
      needs: 'super-admin',
      schema: ServerAttention,
      read: () => health.attention(),
    }),
  ],
  routes: ({ http, registry, lifecycle, health, realtime: { sockets } }) => [
    jobRoutes(http, registry.schedules),
    healthRoutes(http, lifecycle),
    metricsRoutes(http, { lifecycle, sockets }),
    adminRoutes(http, { lifecycle, sockets }),
    installationHealthRoutes(http, { health, lifecycle }),
    backupRoutes(http),
    setupRoutes(http, lifecycle),
  ],
  workers: systemWorkers,
  schedules: systemSchedules,
}
