import { SECOND_MS } from '../../../lib/clock'
import { reader } from '../../../infra/read/reader'
import { countClosedToday, countConversations } from './counts'
import type { ConversationFilter } from './filters'
import { foldersOf } from './folders'
import { conversationPage, firstConversationIds, longestWaiting } from './list'
import type { ConversationCounts } from './model'

/** Lists a page of the conversations the caller can see (`conversationPage`). */
export const ListConversations = reader('conversations.list', 'list', conversationPage)

/** Counts the conversations the caller can see, and tells how long a customer waits. */
export const CountConversations = reader(
  'conversations.count',
  'list',
  (ctx, filter: ConversationFilter): ConversationCounts => {
    const sinceMs = longestWaiting(ctx, filter)
    const { open_ones: open, ...counts } = countConversations(ctx, filter)
    return {
      ...counts,
      folders: foldersOf(ctx, filter, open),
      closed_today: countClosedToday(ctx, filter),
      waiting_longest_seconds:
        sinceMs === null
          ? null
          : Math.max(0, Math.floor((ctx.clock.nowMs() - sinceMs) / SECOND_MS)),
    }
  },
)

/** Finds the first `most` conversations that match a filter (`firstConversationIds`). */
export const FindConversations = reader(
  'conversations.find',
  'list',
  (ctx, { filter, most }: { filter: ConversationFilter; most: number }) =>
    firstConversationIds(ctx, filter, most),
)
