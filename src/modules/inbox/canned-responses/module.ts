import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { cannedResponseRoutes, cannedResponseUseRoutes } from './routes'
import { cannedResponses } from './table'

export const cannedResponsesModule: Module = {
  name: 'canned-responses',
  tables: [carried(cannedResponses)],
  routes: ({ http }) => [cannedResponseRoutes(http), cannedResponseUseRoutes(http)],
}
