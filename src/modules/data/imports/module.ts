import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { importDraftRoutes } from './drafts/routes'
import { importRoutes, importsRoutes } from './routes'
import { importSubscribers } from './subscribers'
import { importSchedules, importWorkers } from './workers'
import { importRows, imports } from './table'

export const importsModule: Module = {
  name: 'imports',
  tables: [carried(imports, { hasFiles: true }), carried(importRows)],
  routes: ({ http }) => [importRoutes(http), importsRoutes(http), importDraftRoutes(http)],
  workers: importWorkers,
  schedules: importSchedules,
  subscribers: importSubscribers,
}
