import type { Module } from '../../http/module'
import { botFlowRoutes, botFlowVersionRoutes } from './bot-flows/routes'
import { flowTemplateRoutes } from './bot-flows/templates/routes'
import { chatbotHooks } from './hooks'
import { keywordRoutes } from './keywords/routes'
import { previewRoutes } from './preview/routes'
import { flowStartRoutes, sessionRoutes } from './sessions/routes'
import { chatbotSchedules, chatbotWorkers } from './workers'

export const chatbotModule: Module = {
  name: 'chatbot',
  routes: ({ http }) => [
    keywordRoutes(http),
    botFlowRoutes(http),
    botFlowVersionRoutes(http),
    flowTemplateRoutes(http),
    sessionRoutes(http),
    flowStartRoutes(http),
    previewRoutes(http),
  ],
  workers: chatbotWorkers,
  schedules: chatbotSchedules,
  hooks: chatbotHooks,
}
