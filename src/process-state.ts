import { createCellClient } from './infra/cells/client'
import type { Deps } from './infra/ctx'
import { EventLoop } from './infra/event-loop'
import { SourceCache } from './modules/ai/contexts/fetch-source'
import { SettingsCache } from './modules/chatbot-settings/effective'
import { GraphCache } from './modules/chatbot/bot-flows/graph-cache'
import { KeywordSets } from './modules/chatbot/keywords/sets'
import { LiquidTemplates } from './infra/liquid/liquid'
import { RecentBodies } from './modules/inbound/journal/bodies'
import { AnswerTimes } from './modules/inbound/stats/answer-times'
import { RateLimiter } from './modules/messages/outbound/rate-limit'
import { FocusedUsers } from './modules/push/focus'
import { RecentViewCounts } from './modules/views/counts'
import { WebhookTraffic } from './modules/webhooks/delivery/traffic'
import { NextImport } from './modules/organization-import/next-import'

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
})
