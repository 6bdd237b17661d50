import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getAccount } from '../../../channel/accounts/queries'
import { requireBotFlow } from '../../../automation/chatbot/bot-flows/find'
import { botFlows, botFlowVersions } from '../../../automation/chatbot/bot-flows/table'
import { bucketsOf } from '../report/buckets'
import { reportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { meanOf, meanSeconds, percentOf } from '../report/rates'
import { currencyOf, rangeView } from '../report/view'
import { planOf } from '../rollups/plan'
import type { BotFlowFigures, ChatbotPoint, ChatbotReport, ChatbotSummary } from './model'
import { aiFigures } from './read-ai'
import { readBotCounts, sumOfPoints, type FlowSums, type SessionSums } from './read-counts'

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
export function chatbotReport(ctx: ReadCtx, query: ChatbotQuery): ChatbotReport {
  const { granularity = 'day', account_id: accountId, flow_id: flowId } = query
  const range = reportRange(ctx, query, granularity)
  if (accountId !== undefined) getAccount(ctx, accountId)
  if (flowId !== undefined) requireBotFlow(ctx, flowId)
  const buckets = bucketsOf(range, granularity)
  const plan = planOf(range, { granularity, buckets, nowMs: ctx.clock.nowMs() })
  const counts = readBotCounts(ctx, { accountId, flowId }, { plan, points: buckets.length })
  return {
    summary: chatbotSummary(sumOfPoints(counts.points)),
    by_flow: flowFigures(ctx, counts.flows),
    top_keywords: counts.keywords
      .slice(0, MAX_KEYWORDS)
      .map(({ kind, sourceId, keyword, hits }) => ({
        keyword,
        rule_id: kind === 'rule' ? sourceId : null,
        flow_id: kind === 'flow' ? sourceId : null,
        count: hits,
      })),
    ai_usage: aiFigures(counts.ai),
    timeline: buckets.flatMap(({ date }, nth) => pointOf(date, counts.points[nth])),
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

/** Keywords listed. */
const MAX_KEYWORDS = 20

const pointOf = (date: string, sums: SessionSums | undefined): ChatbotPoint[] =>
  sums === undefined
    ? []
    : [
        {
          date,
          conversations: sums.sessions,
          auto_resolved: sums.autoResolved,
          transferred_to_agent: sums.transferred,
          abandoned: sums.abandoned,
        },
      ]

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
    avg_messages_per_conversation: meanOf(sums.messages, ended),
    messages_per_turn: meanOf(sums.botMessages, sums.botTurns),
    avg_resolution_time_seconds: meanSeconds(sums.resolutionMs, sums.autoResolved),
  }
}

/** Nodes listed per flow. */
const MAX_NODES = 10

function flowFigures(ctx: ReadCtx, flows: readonly FlowSums[]): BotFlowFigures[] {
  const names = flowNames(
    ctx,
    flows.map(({ flowId }) => flowId),
  )
  return flows.map(({ flowId, sums, abandonedAt }) => {
    const dropOff = abandonedAt.slice(0, MAX_NODES)
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

const flowNames = (ctx: ReadCtx, ids: string[]): Map<string, string> =>
  new Map(
    ctx.db.orm
      .select({ id: botFlows.id, name: botFlows.name })
      .from(botFlows)
      .where(inOrganization(ctx, botFlows, inArray(botFlows.id, ids)))
      .all()
      .map(({ id, name }) => [id, name]),
  )

/** Returns the labels of the nodes of a flow's published version. */
function labelsOf(ctx: ReadCtx, flowId: string): Map<string, string> {
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
