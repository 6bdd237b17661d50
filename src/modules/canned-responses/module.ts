import type { Module } from '../../http/module'
import { cannedResponseRoutes, cannedResponseUseRoutes } from './routes'

export const cannedResponsesModule: Module = {
  name: 'canned-responses',
  routes: ({ http }) => [cannedResponseRoutes(http), cannedResponseUseRoutes(http)],
}
