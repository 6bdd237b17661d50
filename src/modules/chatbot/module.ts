import type { Module } from '../../http/module'
import { chatbotHooks } from './hooks'
import { chatbotSchedules, chatbotWorkers } from './workers'

export const chatbotModule: Module = {
  name: 'chatbot',
  workers: chatbotWorkers,
  schedules: chatbotSchedules,
  hooks: chatbotHooks,
}
