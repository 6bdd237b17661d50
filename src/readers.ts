import type { Reader } from './infra/read/reader'
import { CountChatbot } from './modules/automation/chatbot-settings/readers'
import { CountFlowSteps } from './modules/automation/chatbot/bot-flows/readers'
import { ListSessions } from './modules/automation/chatbot/sessions/readers'
import { ListTransfers } from './modules/automation/transfers/readers'
import { ReadAccountHealth, ReadAccountRouting } from './modules/channel/accounts/readers'
import { ListCalls } from './modules/channel/calls/readers'
import { ListFlowResponses, ReadNextResponseLines } from './modules/channel/flows/readers'
import { CountReplayed, ListInboundEvents } from './modules/channel/inbound/readers'
import { ReadTemplateStats } from './modules/channel/templates/readers'
import { ReadNextLines } from './modules/data/exports/readers'
import { PreviewRetention } from './modules/data/retention/readers'
import { ListDeliveries } from './modules/delivery/webhooks/deliveries/readers'
import { CountChosen } from './modules/delivery/webhooks/replays/readers'
import { ReadEndpoint } from './modules/delivery/webhooks/readers'
import {
  CountContacts,
  ListContacts,
  ListSegmentContacts,
  SearchContacts,
  ListDuplicates,
} from './modules/inbox/contacts/readers'
import {
  CountConversations,
  FindConversations,
  ListConversations,
} from './modules/inbox/conversations/readers'
import { SearchMessages, SearchNotes } from './modules/inbox/messages/search/readers'
import { CountQueued, ListOutbox } from './modules/inbox/messages/send-queue/readers'
import { ListOrders } from './modules/inbox/orders/readers'
import { Suggest } from './modules/inbox/suggest/readers'
import { CountView } from './modules/inbox/views/readers'
import {
  CompareAgents,
  ListAgents,
  ReadAgentReport,
  ReadCampaignReport,
  ReadChatbotReport,
  ReadCostReport,
  ReadQualityReport,
  ReadDashboard,
  ReadMessageReport,
  ReadPastDashboard,
} from './modules/insight/analytics/readers'
import { ReadTeamBoard, ReadWholeBoard } from './modules/insight/team-board/readers'
import { CheckDatabase, ReadFigures } from './modules/operation/system/health/readers'
import { CountKinds, ListJobs } from './modules/operation/system/job-admin/readers'
import { CountAuditEntries, ListAuditEntries } from './modules/organization/audit/readers'
import { ListRecipients, ReadNextRecipients } from './modules/outreach/campaigns/recipients/readers'
import { ReadFunnel } from './modules/outreach/campaigns/results/readers'
import { CompareCounts, CountRetried } from './modules/outreach/campaigns/run/readers'
import { CountMatches, PreviewSegment } from './modules/outreach/segments/readers'

/** All reads that threads run. */
const READERS: Reader<never, unknown>[] = [
  CheckDatabase,
  CompareAgents,
  CompareCounts,
  CountAuditEntries,
  CountChatbot,
  CountChosen,
  CountConversations,
  CountMatches,
  CountKinds,
  CountQueued,
  CountReplayed,
  CountRetried,
  CountView,
  FindConversations,
  ListAgents,
  ListAuditEntries,
  ListCalls,
  ListContacts,
  ListConversations,
  ListDeliveries,
  ListDuplicates,
  ListFlowResponses,
  ListInboundEvents,
  ListJobs,
  ListOrders,
  Suggest,
  ListOutbox,
  ListRecipients,
  ListSegmentContacts,
  SearchContacts,
  CountContacts,
  CountFlowSteps,
  ListSessions,
  ListTransfers,
  PreviewRetention,
  PreviewSegment,
  ReadAccountHealth,
  ReadAccountRouting,
  ReadAgentReport,
  ReadCampaignReport,
  ReadChatbotReport,
  ReadCostReport,
  ReadQualityReport,
  ReadDashboard,
  ReadEndpoint,
  ReadFigures,
  ReadFunnel,
  ReadMessageReport,
  ReadNextLines,
  ReadNextRecipients,
  ReadNextResponseLines,
  ReadPastDashboard,
  ReadTeamBoard,
  ReadTemplateStats,
  ReadWholeBoard,
  SearchMessages,
  SearchNotes,
]

const BY_NAME = new Map(READERS.map((one) => [one.name, one as Reader<unknown, unknown>]))

/** Returns the reader of this name, for a thread. */
export function readerCalled(name: string): Reader<unknown, unknown> {
  const found = BY_NAME.get(name)
  if (!found) throw new Error(`no reader is called ${name}`)
  return found
}
