import { reader } from '../../../infra/read/reader'
import { chatbotStats } from './stats'

/** Counts what the bot has and has done (`chatbotStats`). */
export const CountChatbot = reader(
  'chatbot-settings.stats',
  // No index finds the rows of one number.
  (accountId: string | null) => (accountId === null ? 'list' : 'long'),
  chatbotStats,
)
