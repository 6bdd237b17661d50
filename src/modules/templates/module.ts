import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { templateRoutes, templateChangeRoutes, templateUseRoutes } from './routes'
import { templateSchedules, templateWorkers } from './workers'

export const templatesModule: Module = {
  name: 'templates',
  tables: [carried('templates'), carried('template_card_files'), carried('template_days')],
  routes: ({ http }) => [templateRoutes(http), templateChangeRoutes(http), templateUseRoutes(http)],
  workers: templateWorkers,
  schedules: templateSchedules,
}
