import type { Module } from '../../http/module'
import { templateRoutes, templateChangeRoutes, templateUseRoutes } from './routes'
import { templateSchedules, templateWorkers } from './workers'

export const templatesModule: Module = {
  name: 'templates',
  routes: ({ http }) => [templateRoutes(http), templateChangeRoutes(http), templateUseRoutes(http)],
  workers: templateWorkers,
  schedules: templateSchedules,
}
