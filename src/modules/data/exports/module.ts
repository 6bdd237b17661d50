import type { Module } from '../../../http/module'
import { left } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { PersonErased } from '../../inbox/contacts/events'
import { eraseSearchesIn } from './erase-searches'
import { exportRoutes, exportsRoutes } from './routes'
import { transcriptRoutes } from './transcripts/routes'
import { exportSubscribers } from './subscribers'
import { exportSchedules, exportWorkers } from './workers'
import { exports_ } from './table'

export const exportsModule: Module = {
  name: 'exports',
  tables: [left(exports_, 'files to download, which expire', { hasFiles: true })],
  routes: ({ http }) => [exportRoutes(http), exportsRoutes(http), transcriptRoutes(http)],
  workers: exportWorkers,
  schedules: exportSchedules,
  subscribers: exportSubscribers,
  hooks: [onHook(PersonErased, eraseSearchesIn)],
}
