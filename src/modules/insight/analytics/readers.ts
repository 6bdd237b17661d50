import { reader } from '../../../infra/read/reader'
import { agentReport, compareAgents, listAgents } from './agents/queries'
import { campaignReport } from './campaigns/queries'
import { chatbotReport } from './chatbot/queries'
import { costReport } from './costs/queries'
import { dashboard, pastDashboard } from './dashboard/queries'
import { messageReport } from './messages/queries'
import { qualityReport } from './quality/queries'

/** The figures of the organization at a glance. */
export const ReadDashboard = reader('analytics.dashboard', 'list', dashboard)

/** The figures of the organization for days in the past. */
export const ReadPastDashboard = reader('analytics.past-dashboard', 'long', pastDashboard)

/** The report on the messages of a period. */
export const ReadMessageReport = reader('analytics.messages', 'long', messageReport)

/** The report on the chatbot. */
export const ReadChatbotReport = reader('analytics.chatbot', 'long', chatbotReport)

/** The figures of all agents, or of those of a team. */
export const ListAgents = reader('analytics.agents', 'long', listAgents)

/** The figures of an agent over time. */
export const ReadAgentReport = reader('analytics.agent', 'long', agentReport)

/** The figures of some agents side by side. */
export const CompareAgents = reader('analytics.agent-comparison', 'long', compareAgents)

/** The report on campaigns. */
export const ReadCampaignReport = reader('analytics.campaigns', 'long', campaignReport)

/** The report on how fast customers are answered, and how well deadlines are met. */
export const ReadQualityReport = reader('analytics.quality', 'long', qualityReport)

/** The report on the costs of messages. */
export const ReadCostReport = reader('analytics.costs', 'long', costReport)
