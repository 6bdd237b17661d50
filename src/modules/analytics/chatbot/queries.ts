import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { inSlices } from '../../../infra/event-loop'
import { getAccount } from '../../accounts/queries'
import { requireBotFlow } from '../../chatbot/bot-flows/find'
import { botFlows, botFlowVersions } from '../../chatbot/bot-flows/table'
import { bucketsOf } from '../report/buckets'
import { reportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { meanSeconds, percentOf } from '../report/rates'
import { currencyOf, rangeView } from '../report/view'
import type { BotFlowFigures, ChatbotPoint, ChatbotReport, ChatbotSummary } from './model'
import { aiUsageIn } from './read-ai'
import { topKeywords } from './read-keywords'
import {
  abandonedByNode,
  sessionSums,
  sessionSumsByFlow,
  type SessionFilter,
  type SessionSums,
} from './read-sessions'

/** Filters of the report. */
export interface ChatbotQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  flow_id?: string | undefined
  granularity?: Granularity | undefined
}

/**
 * Returns the figures of the chatbot (analytics contract A3). Throws InvalidError for an invalid
 * range and NotFoundError for an unknown phone number or bot flow.
 */
export async function chatbotReport(ctx: Ctx, query: ChatbotQuery): Promise<ChatbotReport> {
  const { granularity = 'day', account_id: accountId, flow_id: flowId } = query
  const range = reportRange(ctx, query, granularity)
  if (accountId !== undefined) getAccount(ctx, accountId)
  if (flowId !== undefined) requireBotFlow(ctx, flowId)
  const filter = { fromMs: range.fromMs, beforeMs: range.beforeMs, accountId, flowId }
  return {
    summary: chatbotSummary(sessionSums(ctx, filter)),
    by_flow: flowFigures(ctx, filter),
    top_keywords: topKeywords(ctx, filter),
    ai_usage: aiUsageIn(ctx, range, accountId),
    timeline: await timelineOf(
      ctx,
      bucketsOf(range, granularity).map(({ date, fromMs, beforeMs }) => ({
        date,
        ...filter,
        fromMs: Math.max(fromMs, range.fromMs),
        beforeMs: Math.min(beforeMs, range.beforeMs),
      })),
    ),
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

/** Returns the figures of sessions. */
function chatbotSummary(sums: SessionSums): ChatbotSummary {
  const ended = sums.autoResolved + sums.transferred + sums.abandoned
  return {
    total_conversations: sums.sessions,
    auto_resolved: sums.autoResolved,
    transferred_to_agent: sums.transferred,
    abandoned: sums.abandoned,
    open: sums.sessions - ended,
    resolution_rate: percentOf(sums.autoResolved, ended),
    avg_messages_per_conversation: ended === 0 ? 0 : Math.round((sums.messages / ended) * 10) / 10,
    avg_resolution_time_seconds: meanSeconds(sums.resolutionMs, sums.autoResolved),
  }
}

async function timelineOf(
  ctx: Ctx,
  points: (SessionFilter & { date: string })[],
): Promise<ChatbotPoint[]> {
  const timeline: ChatbotPoint[] = []
  await inSlices(ctx, () => {
    const point = points[timeline.length]
    if (point) {
      const sums = sessionSums(ctx, point)
      timeline.push({
        date: point.date,
        conversations: sums.sessions,
        auto_resolved: sums.autoResolved,
        transferred_to_agent: sums.transferred,
        abandoned: sums.abandoned,
      })
    }
    return timeline.length >= points.length
  })
  return timeline
}

/** Nodes listed per flow. */
const MAX_NODES = 10

function flowFigures(ctx: Ctx, filter: SessionFilter): BotFlowFigures[] {
  const flows = sessionSumsByFlow(ctx, filter)
  const names = flowNames(
    ctx,
    flows.map(({ flowId }) => flowId),
  )
  const nodes = Map.groupBy(abandonedByNode(ctx, filter), ({ flowId }) => flowId)
  return flows.map(({ flowId, ...sums }) => {
    const dropOff = nodes.get(flowId)?.slice(0, MAX_NODES) ?? []
    const labels = dropOff.length === 0 ? new Map<string, string>() : labelsOf(ctx, flowId)
    return {
      flow_id: flowId,
      flow_name: names.get(flowId) ?? null,
      conversations: sums.sessions,
      completed: sums.completed,
      transferred: sums.transferred,
      abandoned: sums.abandoned,
      completion_rate: percentOf(sums.completed, sums.sessions),
      drop_off: dropOff.map(({ node, count }) => ({
        node_id: node,
        label: labels.get(node) ?? null,
        count,
      })),
    }
  })
}

const flowNames = (ctx: Ctx, ids: string[]): Map<string, string> =>
  new Map(
    ctx.db.orm
      .select({ id: botFlows.id, name: botFlows.name })
      .from(botFlows)
      .where(inOrganization(ctx, botFlows, inArray(botFlows.id, ids)))
      .all()
      .map(({ id, name }) => [id, name]),
  )

/** Returns the labels of the nodes of a flow's published version. */
function labelsOf(ctx: Ctx, flowId: string): Map<string, string> {
  const row = ctx.db.orm
    .select({ graph: botFlowVersions.graph })
    .from(botFlowVersions)
    .innerJoin(
      botFlows,
      and(
        eq(botFlows.organizationId, botFlowVersions.organizationId),
        eq(botFlows.id, botFlowVersions.flowId),
        eq(botFlows.version, botFlowVersions.version),
      ),
    )
    .where(inOrganization(ctx, botFlowVersions, eq(botFlowVersions.flowId, flowId)))
    .get()
  const { nodes } = JSON.parse(row?.graph ?? '{"nodes":[]}') as {
    nodes: { id: string; label: string | null }[]
  }
  return new Map(nodes.flatMap(({ id, label }) => (label === null ? [] : [[id, label]])))
}
