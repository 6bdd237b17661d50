import { reader } from '../../../infra/read/reader'
import { chatbotStats } from './stats'
import { worksWith } from './works-with'

/** Counts what the bot has and has done (`chatbotStats`), and finds what it answers with. */
export const CountChatbot = reader(
  'chatbot-settings.stats',
  // No index finds the rows of one number.
  (accountId: string | null) => (accountId === null ? 'list' : 'long'),
  (ctx, accountId: string | null) => ({
    stats: chatbotStats(ctx, accountId),
    works_with: worksWith(ctx, accountId),
  }),
)
