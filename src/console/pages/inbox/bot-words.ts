import type { Conversation } from '../../api/shapes'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

/** Until when a flow of the bot waits, in words; `null` if none does. */
export const botWaitWords = ({ bot_waits_until: until }: Conversation): string | null =>
  until == null ? null : t('inbox.bot.waits', { time: formatDateTime(until) })
