import type { Module } from '../../http/module'
import { chatbotHooks } from './hooks'

export const chatbotModule: Module = {
  name: 'chatbot',
  hooks: chatbotHooks,
}
