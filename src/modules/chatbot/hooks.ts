import { onHook, type HookHandler } from '../../infra/transaction-hooks'
import { ContactsMerged, ContactsSeparated } from '../messages/events'
import { mergeBotDataIn, separateBotDataIn } from './engine/contact-changes'

/** Transaction hooks that keep the bot in step with messages and contacts. */
export const chatbotHooks: HookHandler[] = [
  onHook(ContactsMerged, mergeBotDataIn),
  onHook(ContactsSeparated, separateBotDataIn),
]
