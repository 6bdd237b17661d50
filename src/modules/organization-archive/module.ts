import type { Module } from '../../http/module'
import { left } from '../../infra/table-fates'
import { archiveRoutes } from './routes'
import { archiveSubscribers } from './subscribers'
import { archiveSchedules, archiveWorkers } from './workers'

export const organizationArchiveModule: Module = {
  name: 'organization-archive',
  tables: [left('organization_archives', 'archives to download, which expire', { hasFiles: true })],
  routes: ({ http }) => [archiveRoutes(http)],
  workers: archiveWorkers,
  schedules: archiveSchedules,
  subscribers: archiveSubscribers,
}
