import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { subscribe } from '../../../infra/outbox/subscribe'
import { onHook } from '../../../infra/transaction-hooks'
import { AccountChanged } from '../accounts/events'
import { CreativeOptOutTurnedOn } from '../../organization/organizations/hooks'
import { optOutEverywhereIn } from './creative-opt-out'
import { OptOutConnected } from './jobs'
import { templateRoutes, templateChangeRoutes, templateUseRoutes } from './routes'
import { templateSchedules, templateWorkers } from './workers'
import { templateCardFiles, templateDays, templates } from './table'

export const templatesModule: Module = {
  name: 'templates',
  tables: [carried(templates), carried(templateCardFiles), carried(templateDays)],
  routes: ({ http }) => [templateRoutes(http), templateChangeRoutes(http), templateUseRoutes(http)],
  hooks: [onHook(CreativeOptOutTurnedOn, optOutEverywhereIn)],
  subscribers: [subscribe(AccountChanged, OptOutConnected)],
  workers: templateWorkers,
  schedules: templateSchedules,
}
