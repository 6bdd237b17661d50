import type { Ctx } from '../../infra/ctx'
import type { ChatbotSettingsView } from './model'

/** Returns the numbers that the settings show, of the organization or of one phone number. */
export const chatbotStats = (
  _ctx: Ctx,
  _accountId: string | null,
): ChatbotSettingsView['stats'] => ({
  sessions_total: 0,
  sessions_active: 0,
  messages_handled: 0,
  ai_responses: 0,
  transfers: 0,
  keywords_count: 0,
  flows_count: 0,
  ai_contexts_count: 0,
})
