import type { Module } from '../../http/module'
import { carried, derived } from '../../infra/table-fates'
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
import { rescheduleReportsIn } from './scheduled/reschedule'
import { scheduledReportRoutes } from './scheduled/routes'
import { unsubscribeRoutes } from './scheduled/unsubscribe/routes'
import { analyticsSchedules, analyticsWorkers } from './workers'

export const analyticsModule: Module = {
  name: 'analytics',
  tables: [
    carried('boards'),
    carried('scheduled_reports'),
    carried('scheduled_report_recipients'),
    carried('scheduled_report_runs'),
    carried('scheduled_report_mails'),
    derived('agent_message_counts', 'added up by triggers and jobs'),
    derived('agent_response_counts', 'added up by triggers and jobs'),
    derived('transfer_counts', 'added up by triggers and jobs'),
    derived('ai_call_counts', 'added up by triggers and jobs'),
    derived('bot_session_counts', 'added up by triggers and jobs'),
    derived('keyword_rollups', 'added up by triggers and jobs'),
    derived('contact_rollups', 'added up by triggers and jobs'),
    derived('contacts_seen', 'added up by triggers and jobs'),
    derived('cost_changes', 'added up by triggers and jobs'),
    derived('cost_rollups', 'added up by triggers and jobs'),
    derived('message_rollups', 'added up by triggers and jobs'),
    derived('rollup_parts', 'added up by triggers and jobs'),
  ],
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
  hooks: [
    onHook(TimezoneChanged, startRebuildIn),
    onHook(TimezoneChanged, rescheduleReportsIn),
    onHook(KeywordHitRecorded, countHitIn),
  ],
  workers: analyticsWorkers,
  schedules: analyticsSchedules,
}
