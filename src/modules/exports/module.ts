import type { Module } from '../../http/module'
import { exportRoutes, exportsRoutes } from './routes'
import { transcriptRoutes } from './transcripts/routes'
import { exportSubscribers } from './subscribers'
import { exportSchedules, exportWorkers } from './workers'

export const exportsModule: Module = {
  name: 'exports',
  routes: ({ http }) => [exportRoutes(http), exportsRoutes(http), transcriptRoutes(http)],
  workers: exportWorkers,
  schedules: exportSchedules,
  subscribers: exportSubscribers,
}
