import type { Module } from '../../../http/module'
import { shared } from '../../../infra/table-fates'
import { deletionRoutes } from './routes'
import { deletionSchedules, deletionWorkers } from './workers'
import { erasedOrganizations } from './table'

export const organizationDeletionModule: Module = {
  name: 'organization-deletion',
  tables: [shared(erasedOrganizations, 'figures of organizations that were erased')],
  routes: ({ http }) => [deletionRoutes(http)],
  workers: deletionWorkers,
  schedules: deletionSchedules,
}
