import type { Module } from '../../../http/module'
import { carried, derived } from '../../../infra/table-fates'
import { chatbotSettingsHooks } from './hooks'
import { businessHoursRoutes } from './hours/routes'
import { chatbotSettingsRoutes } from './routes'
import { chatbotCounts, chatbotSettings } from './table'

export const chatbotSettingsModule: Module = {
  name: 'chatbot-settings',
  tables: [
    carried(chatbotSettings, {
      secrets: {
        ai_api_key_sealed: '{organization_id}/chatbot_settings/aiApiKeySealed/{account_id}',
      },
    }),
    derived(chatbotCounts, 'counted by triggers', { lasting: 'true' }),
  ],
  routes: ({ http }) => [chatbotSettingsRoutes(http), businessHoursRoutes(http)],
  hooks: chatbotSettingsHooks,
}
