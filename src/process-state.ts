import { createCellClient } from './infra/cells/client'
import type { Deps } from './infra/ctx'
import { EventLoop } from './infra/event-loop'
import { SourceCache } from './modules/automation/ai/contexts/fetch-source'
import { SettingsCache } from './modules/automation/chatbot-settings/effective'
import { GraphCache } from './modules/automation/chatbot/bot-flows/graph-cache'
import { KeywordSets } from './modules/automation/chatbot/keywords/sets'
import { LiquidTemplates } from './infra/liquid/liquid'
import { RecentBodies } from './modules/channel/inbound/journal/bodies'
import { AnswerTimes } from './modules/channel/inbound/stats/answer-times'
import { RateLimiter } from './modules/inbox/messages/outbound/rate-limit'
import { FocusedUsers } from './modules/delivery/push/focus'
import { RecentViewCounts } from './modules/inbox/views/counts'
import { WebhookTraffic } from './modules/delivery/webhooks/delivery/traffic'
import { NextImport } from './modules/data/organization-import/next-import'

/** The parts of the program that only hold state in memory, or open connections. */
type ProcessState = Pick<
  Deps,
  | 'eventLoop'
  | 'cellClient'
  | 'rateLimiter'
  | 'messagingLimitUse'
  | 'recentBodies'
  | 'answerTimes'
  | 'mediaUploads'
  | 'mediaStartSweep'
  | 'lockedTemplates'
  | 'privacyExports'
  | 'chatbotSettings'
  | 'liquid'
  | 'keywordSets'
  | 'botGraphs'
  | 'aiSources'
  | 'webhookTraffic'
  | 'viewCounts'
  | 'focusedUsers'
  | 'frozenSince'
  | 'nextImport'
  | 'loopWaits'
>

/**
 * Creates the in-memory state between requests and jobs, empty as at startup. Each module declares
 * its field of `Deps` beside the code that uses it.
 */
export const createProcessState = (): ProcessState => ({
  eventLoop: new EventLoop(),
  cellClient: createCellClient(),
  rateLimiter: new RateLimiter(),
  messagingLimitUse: new Map(),
  recentBodies: new RecentBodies(),
  answerTimes: new AnswerTimes(),
  mediaUploads: new Map(),
  mediaStartSweep: { promise: null },
  lockedTemplates: new Set(),
  privacyExports: new Set(),
  chatbotSettings: new SettingsCache(),
  liquid: new LiquidTemplates(),
  keywordSets: new KeywordSets(),
  botGraphs: new GraphCache(),
  aiSources: new SourceCache(),
  webhookTraffic: new WebhookTraffic(),
  viewCounts: new RecentViewCounts(),
  frozenSince: new Map(),
  nextImport: new NextImport(),
  focusedUsers: new FocusedUsers(),
  loopWaits: { take: () => 0 },
})
