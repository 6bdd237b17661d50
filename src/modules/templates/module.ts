import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { templateRoutes, templateChangeRoutes, templateUseRoutes } from './routes'
import { templateSchedules, templateWorkers } from './workers'
import { templateCardFiles, templateDays, templates } from './table'

export const templatesModule: Module = {
  name: 'templates',
  tables: [carried(templates), carried(templateCardFiles), carried(templateDays)],
  routes: ({ http }) => [templateRoutes(http), templateChangeRoutes(http), templateUseRoutes(http)],
  workers: templateWorkers,
  schedules: templateSchedules,
}
