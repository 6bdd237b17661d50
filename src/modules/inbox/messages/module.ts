import type { Module } from '../../../http/module'
import { carried, derived, fullText } from '../../../infra/table-fates'
import { callPermissionRoutes } from './call-permission/routes'
import { contactMessageRoutes, messageRoutes } from './routes'
import {
  conversationBulkRoutes,
  conversationMessageRoutes,
  readingRoutes,
} from './conversation/routes'
import { conversationRoutes } from './conversation/open/routes'
import { messageActionRoutes } from './actions/routes'
import { outboxRoutes, outboxControlRoutes } from './send-queue/routes'
import { sendingRoutes, templateSendingRoutes, templateTestRoutes } from './outbound/routes'
import { messageHooks } from './hooks'
import { messageSubscribers } from './subscribers'
import { messageSchedules, messageWorkers } from './workers'
import { searchRoutes } from './search/routes'
import { sendGate } from './outbound/send-gate'
import { messageFiles, messageTemplates, messageWords, messages, sendAttempts } from './table'
import { messageReactions } from './reactions/table'
import { messageRevisions } from './inbound/table'
import { messageStatuses } from './status/table'
import { costTotals, serviceCounts } from './cost/table'

export const messagesModule: Module = {
  name: 'messages',
  tables: [
    carried(messages, { codes: ['send_options'] }),
    carried(messageReactions),
    carried(messageRevisions),
    carried(messageStatuses),
    carried(messageFiles),
    carried(messageTemplates),
    carried(sendAttempts),
    derived(messageWords, 'searchable words of messages', { deletedWith: 'messages' }),
    fullText('message_search', messageWords),
    derived(costTotals, 'added up by triggers', { lasting: 'true' }),
    derived(serviceCounts, 'counted by triggers', { lasting: 'true' }),
  ],
  routes: ({ http }) => [
    contactMessageRoutes(http),
    messageRoutes(http),
    conversationRoutes(http),
    conversationBulkRoutes(http),
    conversationMessageRoutes(http),
    readingRoutes(http),
    messageActionRoutes(http),
    outboxRoutes(http),
    outboxControlRoutes(http),
    sendingRoutes(http),
    templateSendingRoutes(http),
    templateTestRoutes(http),
    searchRoutes(http),
    callPermissionRoutes(http),
  ],
  workers: messageWorkers,
  schedules: messageSchedules,
  subscribers: messageSubscribers,
  hooks: messageHooks,
  gates: [sendGate],
}
