import { AGENT_FIGURES } from './agents/rules'
import { CAMPAIGN_FIGURES } from './campaigns/rules'
import { CHATBOT_FIGURES } from './chatbot/rules'
import { COST_FIGURES } from './costs/rules'
import { DASHBOARD_FIGURES } from './dashboard/rules'
import { MESSAGE_FIGURES } from './messages/rules'
import { QUALITY_FIGURES } from './quality/rules'
import type { ReportFigures } from './report/rules'

/**
 * The figures of every report, each defined in one sentence. The API document and the handbook page
 * `src/docs/analytics.md` are generated from it.
 */
export const CATALOG = {
  dashboard: DASHBOARD_FIGURES,
  messages: MESSAGE_FIGURES,
  chatbot: CHATBOT_FIGURES,
  agents: AGENT_FIGURES,
  campaigns: CAMPAIGN_FIGURES,
  costs: COST_FIGURES,
  quality: QUALITY_FIGURES,
} as const satisfies Readonly<Record<string, ReportFigures>>
