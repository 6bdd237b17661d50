import { defineHook } from '../../../infra/transaction-hooks'

/** Settings of the organization or of a number changed; `fields` names those that did. */
export const ChatbotSettingsChanged = defineHook<{ fields: ReadonlySet<string> }>(
  'chatbot_settings.changed',
)
