import type { Module } from '../../http/module'
import { importRoutes, importsRoutes } from './routes'
import { importSubscribers } from './subscribers'
import { importSchedules, importWorkers } from './workers'

export const importsModule: Module = {
  name: 'imports',
  routes: ({ http }) => [importRoutes(http), importsRoutes(http)],
  workers: importWorkers,
  schedules: importSchedules,
  subscribers: importSubscribers,
}
