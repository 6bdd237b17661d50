import { LongPageOf } from '../../../http/pagination'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried, derived } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { ContactTagged } from '../contacts/events'
import { TeamClosed } from '../teams/events'
import { clearTeamIn } from './clear-team'
import { assignmentRoutes, conversationRoutes } from './routes'
import { recordTagsIn } from './timeline/record'
import { timelineRoutes } from './timeline/routes'
import { conversationWorkers } from './workers'
import { conversationCounts, conversations, threadFacts } from './table'
import { timelineEntries } from './timeline/table'
import { CountConversations, ListConversations } from './readers'
import { conversationFilterOf } from './list-query'
import { ConversationCounts, ConversationView } from './model'

/** As many as most screens show. */
const FIRST_CONVERSATIONS = 25

export const conversationsModule: Module = {
  name: 'conversations',
  tables: [
    carried(conversations),
    carried(threadFacts),
    carried(timelineEntries),
    derived(conversationCounts, 'counted by triggers', {
      totals: { columns: ['conversations', 'unread'] },
    }),
  ],
  startParts: () => [
    startPart({
      name: 'conversation_counts',
      needs: 'messages:read',
      schema: ConversationCounts,
      read: (ctx) => ctx.reads.value(CountConversations, ctx, conversationFilterOf({})),
    }),
    startPart({
      name: 'conversations',
      needs: 'messages:read',
      schema: LongPageOf(ConversationView),
      read: (ctx) =>
        ctx.reads.value(ListConversations, ctx, {
          ...{ page: 1, limit: FIRST_CONVERSATIONS, sort: 'last_message_at' as const },
          ...conversationFilterOf({ state: 'open' }),
        }),
    }),
  ],
  routes: ({ http }) => [assignmentRoutes(http), conversationRoutes(http), timelineRoutes(http)],
  workers: conversationWorkers,
  hooks: [
    onHook(ContactTagged, recordTagsIn),
    onHook(TeamClosed, (tx, ctx, { teamId, isDeleted }) => {
      if (isDeleted) clearTeamIn(tx, ctx, teamId)
    }),
  ],
}
