import type { Http } from '../../../http/http-deps'
import type { Module } from '../../../http/module'
import type { Journal } from '../../channel/inbound/journal/staging-queue'
import { cellRoutes } from './routes'

export const cellsModule: Module<{ http: Http; journal: Journal }> = {
  name: 'cells',
  tables: [],
  routes: ({ http, journal }) => [cellRoutes(http, journal)],
}
