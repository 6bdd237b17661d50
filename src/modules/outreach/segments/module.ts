import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { segmentRoutes } from './routes'
import { segments } from './table'

export const segmentsModule: Module = {
  name: 'segments',
  tables: [carried(segments)],
  routes: ({ http }) => [segmentRoutes(http)],
}
