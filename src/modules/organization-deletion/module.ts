import type { Module } from '../../http/module'
import { shared } from '../../infra/table-fates'
import { deletionRoutes } from './routes'
import { deletionSchedules, deletionWorkers } from './workers'

export const organizationDeletionModule: Module = {
  name: 'organization-deletion',
  tables: [shared('erased_organizations', 'figures of organizations that were erased')],
  routes: ({ http }) => [deletionRoutes(http)],
  workers: deletionWorkers,
  schedules: deletionSchedules,
}
