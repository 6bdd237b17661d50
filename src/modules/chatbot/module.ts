import type { Module } from '../../http/module'
import { carried, derived } from '../../infra/table-fates'
import { botFlowRoutes, botFlowVersionRoutes } from './bot-flows/routes'
import { flowTemplateRoutes } from './bot-flows/templates/routes'
import { chatbotHooks } from './hooks'
import { keywordRoutes } from './keywords/routes'
import { previewRoutes } from './preview/routes'
import { flowStartRoutes, sessionRoutes } from './sessions/routes'
import { chatbotSchedules, chatbotWorkers } from './workers'

export const chatbotModule: Module = {
  name: 'chatbot',
  tables: [
    carried('bot_flows', {
      secrets: { completion_headers_sealed: '{organization_id}/bot-flows/completion/{id}' },
    }),
    carried('bot_flow_versions', {
      secrets: { headers_sealed: '{organization_id}/bot-flows/headers/{flow_id}' },
    }),
    derived('bot_flow_references', 'read from bot_flow_versions', { lasting: 'true' }),
    carried('bot_inbox'),
    carried('bot_marks'),
    carried('bot_sessions'),
    carried('bot_trace'),
    carried('keyword_rules'),
    derived('keyword_revisions', 'counted by triggers'),
  ],
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
