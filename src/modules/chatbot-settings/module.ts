import type { Module } from '../../http/module'
import { chatbotSettingsRoutes } from './routes'

export const chatbotSettingsModule: Module = {
  name: 'chatbot-settings',
  routes: ({ http }) => [chatbotSettingsRoutes(http)],
}
