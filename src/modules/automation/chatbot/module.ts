import type { Module } from '../../../http/module'
import { carried, derived } from '../../../infra/table-fates'
import { MAX_FLOWS } from './bot-flows/create'
import { botFlowRoutes, botFlowVersionRoutes } from './bot-flows/routes'
import { flowTemplateRoutes } from './bot-flows/templates/routes'
import { chatbotHooks } from './hooks'
import { keywordRoutes } from './keywords/routes'
import { MAX_CHARACTERS, MAX_RULES } from './keywords/service'
import { previewRoutes } from './preview/routes'
import { flowStartRoutes, sessionDataRoutes, sessionRoutes } from './sessions/routes'
import { chatbotSchedules, chatbotWorkers } from './workers'
import { botFlowReferences, botFlowVersions, botFlows } from './bot-flows/table'
import { botInbox, botMarks, botSessions, botTrace } from './engine/table'
import { keywordRevisions, keywordRules } from './keywords/table'

export const chatbotModule: Module = {
  name: 'chatbot',
  tables: [
    carried(botFlows, {
      limits: [{ rows: MAX_FLOWS }],
      secrets: { completion_headers_sealed: '{organization_id}/bot-flows/completion/{id}' },
    }),
    carried(botFlowVersions, {
      secrets: { headers_sealed: '{organization_id}/bot-flows/headers/{flow_id}' },
    }),
    derived(botFlowReferences, 'read from bot_flow_versions', { lasting: 'true' }),
    carried(botInbox),
    carried(botMarks),
    carried(botSessions),
    carried(botTrace),
    carried(keywordRules, {
      limits: [{ rows: MAX_RULES, characters: { column: 'keywords', most: MAX_CHARACTERS } }],
    }),
    derived(keywordRevisions, 'counted by triggers'),
  ],
  routes: ({ http }) => [
    keywordRoutes(http),
    botFlowRoutes(http),
    botFlowVersionRoutes(http),
    flowTemplateRoutes(http),
    sessionRoutes(http),
    flowStartRoutes(http),
    sessionDataRoutes(http),
    previewRoutes(http),
  ],
  workers: chatbotWorkers,
  schedules: chatbotSchedules,
  hooks: chatbotHooks,
}
