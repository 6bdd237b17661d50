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
import { CountConversations } from './readers'
import { conversationFilterOf } from './list-query'
import { ConversationCounts } from './model'

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
