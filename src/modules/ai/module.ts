import type { Module } from '../../http/module'
import { onHook } from '../../infra/transaction-hooks'
import { ContactsMerged } from '../messages/events'
import { moveUsageIn } from './contact-changes'
import { contextRoutes } from './contexts/routes'
import { aiRoutes, complianceRoutes } from './routes'
import { aiSchedules, aiWorkers } from './workers'

export const aiModule: Module = {
  name: 'ai',
  routes: ({ http }) => [aiRoutes(http), complianceRoutes(http), contextRoutes(http)],
  workers: aiWorkers,
  schedules: aiSchedules,
  hooks: [onHook(ContactsMerged, moveUsageIn)],
}
