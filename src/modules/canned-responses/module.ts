import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { cannedResponseRoutes, cannedResponseUseRoutes } from './routes'

export const cannedResponsesModule: Module = {
  name: 'canned-responses',
  tables: [carried('canned_responses')],
  routes: ({ http }) => [cannedResponseRoutes(http), cannedResponseUseRoutes(http)],
}
