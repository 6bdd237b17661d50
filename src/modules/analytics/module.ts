import type { Module } from '../../http/module'
import { onHook } from '../../infra/transaction-hooks'
import { KeywordHitRecorded } from '../chatbot/keywords/hooks'
import { TimezoneChanged } from '../organizations/hooks'
import { agentRoutes, ownReportRoutes } from './agents/routes'
import { boardRoutes } from './boards/routes'
import { campaignReportRoutes } from './campaigns/routes'
import { countHitIn } from './chatbot/record-hit'
import { chatbotReportRoutes } from './chatbot/routes'
import { costRoutes } from './costs/routes'
import { dashboardRoutes } from './dashboard/routes'
import { messageReportRoutes } from './messages/routes'
import { startRebuildIn } from './rollups/rebuild'
import { scheduledReportRoutes } from './scheduled/routes'
import { unsubscribeRoutes } from './scheduled/unsubscribe/routes'
import { analyticsSchedules, analyticsWorkers } from './workers'

export const analyticsModule: Module = {
  name: 'analytics',
  routes: ({ http }) => [
    ownReportRoutes(http),
    dashboardRoutes(http),
    messageReportRoutes(http),
    chatbotReportRoutes(http),
    agentRoutes(http),
    campaignReportRoutes(http),
    costRoutes(http),
    boardRoutes(http),
    scheduledReportRoutes(http),
    unsubscribeRoutes(http),
  ],
  hooks: [onHook(TimezoneChanged, startRebuildIn), onHook(KeywordHitRecorded, countHitIn)],
  workers: analyticsWorkers,
  schedules: analyticsSchedules,
}
