import type { Module } from '../../http/module'
import { chatbotSettingsHooks } from './hooks'
import { businessHoursRoutes } from './hours/routes'
import { chatbotSettingsRoutes } from './routes'

export const chatbotSettingsModule: Module = {
  name: 'chatbot-settings',
  routes: ({ http }) => [chatbotSettingsRoutes(http), businessHoursRoutes(http)],
  hooks: chatbotSettingsHooks,
}
