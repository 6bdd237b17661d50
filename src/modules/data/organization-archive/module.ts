import type { Module } from '../../../http/module'
import { left } from '../../../infra/table-fates'
import { archiveRoutes } from './routes'
import { archiveSubscribers } from './subscribers'
import { archiveSchedules, archiveWorkers } from './workers'
import { organizationArchives } from './table'

export const organizationArchiveModule: Module = {
  name: 'organization-archive',
  tables: [left(organizationArchives, 'archives to download, which expire', { hasFiles: true })],
  routes: ({ http }) => [archiveRoutes(http)],
  workers: archiveWorkers,
  schedules: archiveSchedules,
  subscribers: archiveSubscribers,
}
