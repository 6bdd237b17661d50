import type { Module } from '../../http/module'
import { assignmentRoutes, conversationRoutes } from './routes'
import { conversationWorkers } from './workers'

export const conversationsModule: Module = {
  name: 'conversations',
  routes: ({ http }) => [assignmentRoutes(http), conversationRoutes(http)],
  workers: conversationWorkers,
}
