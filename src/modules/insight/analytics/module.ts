import type { Module } from '../../../http/module'
import { carried, derived } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { KeywordHitRecorded } from '../../automation/chatbot/keywords/hooks'
import { TimezoneChanged } from '../../organization/organizations/hooks'
import { agentRoutes, ownReportRoutes } from './agents/routes'
import { boardRoutes } from './boards/routes'
import { campaignReportRoutes } from './campaigns/routes'
import { countHitIn } from './chatbot/record-hit'
import { chatbotReportRoutes } from './chatbot/routes'
import { costRoutes } from './costs/routes'
import { dashboardRoutes } from './dashboard/routes'
import { messageReportRoutes } from './messages/routes'
import { qualityRoutes } from './quality/routes'
import { startRebuildIn } from './rollups/rebuild'
import { KEPT_PART, UNIT } from './rollups/rules'
import { rescheduleReportsIn } from './scheduled/reschedule'
import { scheduledReportRoutes } from './scheduled/routes'
import { MAX_REPORTS } from './scheduled/service'
import { unsubscribeRoutes } from './scheduled/unsubscribe/routes'
import { analyticsSchedules, analyticsWorkers } from './workers'
import { boards } from './boards/table'
import {
  scheduledReportMails,
  scheduledReportRecipients,
  scheduledReportRuns,
  scheduledReports,
} from './scheduled/table'
import { agentMessageCounts, agentResponseCounts, transferCounts } from './agents/table'
import { aiCallCounts, botSessionCounts, keywordRollups } from './chatbot/table'
import {
  contactRollups,
  contactsSeen,
  costChanges,
  costRollups,
  messageRollups,
  rollupParts,
} from './rollups/table'

/** Counts of what is not stored any more cannot be built again. */
const OF_THE_PAST = { lasting: 'part = 0' }

/** Counts that are complete, each once: hours are in their days, too. */
const COMPLETE = `unit <> ${UNIT.HOUR} and (part = ${KEPT_PART} or part in (
  select p.part from rollup_parts p where p.organization_id = ?1 and p.through is null))`

export const analyticsModule: Module = {
  name: 'analytics',
  tables: [
    carried(boards),
    carried(scheduledReports, { limits: [{ rows: MAX_REPORTS }] }),
    carried(scheduledReportRecipients),
    carried(scheduledReportRuns),
    carried(scheduledReportMails),
    derived(agentMessageCounts, 'added up by triggers and jobs', {
      ...OF_THE_PAST,
      totals: { columns: ['messages'], where: COMPLETE },
    }),
    derived(agentResponseCounts, 'added up by triggers and jobs', {
      ...OF_THE_PAST,
      totals: { columns: ['responses', 'waited_ms'], where: COMPLETE },
    }),
    derived(transferCounts, 'added up by triggers and jobs', OF_THE_PAST),
    derived(aiCallCounts, 'added up by triggers and jobs', OF_THE_PAST),
    derived(botSessionCounts, 'added up by triggers and jobs', OF_THE_PAST),
    derived(keywordRollups, 'added up by triggers and jobs', OF_THE_PAST),
    derived(contactRollups, 'added up by triggers and jobs', OF_THE_PAST),
    derived(contactsSeen, 'added up by triggers and jobs', OF_THE_PAST),
    derived(costChanges, 'added up by triggers and jobs', OF_THE_PAST),
    derived(costRollups, 'added up by triggers and jobs', OF_THE_PAST),
    derived(messageRollups, 'added up by triggers and jobs', {
      ...OF_THE_PAST,
      totals: {
        columns: ['messages', 'delivered', 'read', 'failed', 'answers', 'answer_ms'],
        where: COMPLETE,
      },
    }),
    derived(rollupParts, 'added up by triggers and jobs'),
  ],
  routes: ({ http }) => [
    ownReportRoutes(http),
    dashboardRoutes(http),
    messageReportRoutes(http),
    chatbotReportRoutes(http),
    agentRoutes(http),
    qualityRoutes(http),
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
