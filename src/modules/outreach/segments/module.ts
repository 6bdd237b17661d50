import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { PersonErased } from '../../inbox/contacts/events'
import { eraseSegmentsIn } from './erase'
import { segmentRoutes } from './routes'
import { segments } from './table'

export const segmentsModule: Module = {
  name: 'segments',
  tables: [carried(segments)],
  routes: ({ http }) => [segmentRoutes(http)],
  hooks: [onHook(PersonErased, eraseSegmentsIn)],
}
