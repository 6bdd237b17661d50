import type { TObject } from '@sinclair/typebox'

import type { Ctx } from '../../../../infra/ctx'
import { AgentRow } from '../agents/model'
import { AGENT_FIGURES } from '../agents/rules'
import { CampaignFigures } from '../campaigns/model'
import { CAMPAIGN_FIGURES } from '../campaigns/rules'
import { ChatbotPoint } from '../chatbot/model'
import { CHATBOT_FIGURES } from '../chatbot/rules'
import { CostGroup } from '../costs/model'
import { COST_FIGURES } from '../costs/rules'
import { DashboardRow } from '../dashboard/model'
import { DASHBOARD_FIGURES } from '../dashboard/rules'
import { dashboardRows } from '../dashboard/view'
import { MessagePoint } from '../messages/model'
import { MESSAGE_FIGURES } from '../messages/rules'
import { QualityPoint } from '../quality/model'
import { QUALITY_FIGURES } from '../quality/rules'
import {
  ListAgents,
  ReadCampaignReport,
  ReadChatbotReport,
  ReadCostReport,
  ReadMessageReport,
  ReadQualityReport,
  ReadPastDashboard,
} from '../readers'
import { csvTable } from '../report/csv'
import type { Figures } from '../report/rules'
import type { MailedReport } from './model'
import { barsOf, linesOf, type Section } from './section'
import { dayLabel, labelOf, valueOf } from './words'

/** The dates that an email covers. */
export interface MailSpan {
  startDate: string
  endDate: string
}

/** Rows with bars in an email. */
const MAX_BARS = 31

/** Rows of an email that a list is cut to; the file has all of them. */
const ALL = { page: 1, limit: Number.MAX_SAFE_INTEGER }

const fileOf = (name: string, schema: TObject, rows: readonly object[]): Section['file'] => ({
  name,
  text: [...csvTable(schema, rows)].join(''),
})

const datesOf = ({ startDate, endDate }: MailSpan) => ({
  start_date: startDate,
  end_date: endDate,
})

/** Returns a report on a span as an email shows it. */
export const sectionOf = (ctx: Ctx, report: MailedReport, span: MailSpan): Promise<Section> =>
  SECTIONS[report](ctx, span)

const SECTIONS: Readonly<Record<MailedReport, (ctx: Ctx, span: MailSpan) => Promise<Section>>> = {
  dashboard: dashboardSection,
  messages: messageSection,
  chatbot: chatbotSection,
  agents: agentSection,
  campaigns: campaignSection,
  costs: costSection,
  quality: qualitySection,
}

/** Figures of the day or month of sending, which say nothing about the week or month of the email. */
const OF_TODAY = new Set([
  ...['today', 'new_today', 'new_this_week', 'conversations_today', 'completed_this_month'],
])

async function dashboardSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const dashboard = await ctx.reads.value(ReadPastDashboard, ctx, span)
  const rows = dashboardRows(dashboard).filter(({ figure }) => !OF_TODAY.has(figure))
  const units: Readonly<Record<string, Figures>> = DASHBOARD_FIGURES
  return {
    title: 'Overview',
    lines: rows.map(({ area, figure, value }) => ({
      label: `${labelOf(area)}: ${labelOf(figure).toLowerCase()}`,
      value: valueOf(units[area]?.[figure]?.unit ?? 'number', value),
    })),
    bars: null,
    file: fileOf('dashboard', DashboardRow, rows),
  }
}

async function messageSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, timeline } = await ctx.reads.value(ReadMessageReport, ctx, {
    ...datesOf(span),
    granularity: 'day',
  })
  return {
    title: 'Messages',
    lines: linesOf(MESSAGE_FIGURES.summary, summary),
    bars: barsOf(
      'Messages sent and received by day',
      timeline.map(({ date, sent, received }) => ({
        label: dayLabel(date),
        number: sent + received,
      })),
    ),
    file: fileOf('messages', MessagePoint, timeline),
  }
}

async function chatbotSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, timeline } = await ctx.reads.value(ReadChatbotReport, ctx, datesOf(span))
  return {
    title: 'Chatbot',
    lines: linesOf(CHATBOT_FIGURES.summary, summary),
    bars: barsOf(
      'Sessions by day',
      timeline.map(({ date, conversations }) => ({
        label: dayLabel(date),
        number: conversations,
      })),
    ),
    file: fileOf('chatbot', ChatbotPoint, timeline),
  }
}

async function agentSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, items } = await ctx.reads.value(ListAgents, ctx, {
    ...{ ...datesOf(span), ...ALL },
    teamId: undefined,
    sort: 'messages_sent',
    order: 'desc',
  })
  return {
    title: 'Agents',
    lines: linesOf(AGENT_FIGURES.items, summary),
    bars: barsOf(
      'Messages sent by agent',
      items
        .slice(0, MAX_BARS)
        .map(({ full_name, messages_sent }) => ({ label: full_name, number: messages_sent })),
    ),
    file: fileOf('agents', AgentRow, items),
  }
}

const { estimated_cost, actual_cost } = CAMPAIGN_FIGURES.items

/** The figures of campaigns that each currency has. */
const COSTS_OF_CAMPAIGNS = { estimated_cost, actual_cost }

async function campaignSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, items } = await ctx.reads.value(ReadCampaignReport, ctx, {
    ...datesOf(span),
    ...ALL,
  })
  return {
    title: 'Campaigns',
    lines: [
      ...linesOf(CAMPAIGN_FIGURES.items, summary, summary.currency),
      ...summary.other_costs.flatMap(({ estimated_cost, actual_cost, currency }) =>
        linesOf(COSTS_OF_CAMPAIGNS, { estimated_cost, actual_cost }, currency),
      ),
    ],
    bars: barsOf(
      'Delivered messages by campaign',
      items.slice(0, MAX_BARS).map(({ name, delivered }) => ({ label: name, number: delivered })),
    ),
    file: fileOf('campaigns', CampaignFigures, items),
  }
}

async function qualitySection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, timeline } = await ctx.reads.value(ReadQualityReport, ctx, {
    ...datesOf(span),
    granularity: 'day',
  })
  const { unit } = QUALITY_FIGURES.summary.avg_first_response_seconds
  return {
    title: 'Quality',
    lines: linesOf(QUALITY_FIGURES.summary, summary),
    bars: barsOf(
      'Average first response by day',
      timeline.map(({ date, avg_first_response_seconds: seconds }) => ({
        ...{ label: dayLabel(date), number: seconds, value: valueOf(unit, seconds) },
      })),
    ),
    file: fileOf('quality', QualityPoint, timeline),
  }
}

/** Costs of AI have a currency of their own. */
const { ai_cost: COST_OF_AI, ...COSTS_OF_MESSAGES } = COST_FIGURES.summary

async function costSection(ctx: Ctx, span: MailSpan): Promise<Section> {
  const { summary, groups } = await ctx.reads.value(ReadCostReport, ctx, {
    ...{ ...datesOf(span), ...ALL },
    granularity: 'day',
    groupBy: 'category',
  })
  return {
    title: 'Costs',
    lines: [
      ...linesOf(COSTS_OF_MESSAGES, summary, summary.currency),
      ...summary.other_costs.flatMap(({ cost, currency }) =>
        linesOf({ cost: COSTS_OF_MESSAGES.cost }, { cost }, currency),
      ),
      ...linesOf({ ai_cost: COST_OF_AI }, summary, summary.ai_cost_currency),
    ],
    bars: barsOf(
      'Costs by category',
      groups
        .filter(({ currency }) => currency === summary.currency)
        .slice(0, MAX_BARS)
        .map(({ key, cost, currency }) => ({
          label: labelOf((key ?? 'no category').toLowerCase()),
          number: Number(cost),
          value: `${cost} ${currency ?? ''}`.trim(),
        })),
    ),
    file: fileOf('costs', CostGroup, groups),
  }
}
