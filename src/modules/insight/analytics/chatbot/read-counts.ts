import type { SQLQueryBindings } from 'bun:sqlite'

import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { bytesToUuid, NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import type { RollupPlan } from '../rollups/plan'
import { countsOf, type CountRow, type CountValue, type RollupReading } from '../rollups/queries'
import { aiReading, aiSumsOf, type AiSums } from './read-ai'

/** The phone number and the flow that a report is about; all of them without. */
export interface BotFilter {
  accountId?: string | undefined
  flowId?: string | undefined
}

/** Sums of sessions. Times are milliseconds. */
export interface SessionSums {
  sessions: number
  completed: number
  autoResolved: number
  transferred: number
  abandoned: number
  /** Messages of both sides in those that ended. */
  messages: number
  /** Messages of the bot in those that ended, and the turns in which it wrote them. */
  botMessages: number
  botTurns: number
  resolutionMs: number
}

/** The sessions of a bot flow, and how many were abandoned at each node. */
export interface FlowSums {
  flowId: string
  sums: SessionSums
  abandonedAt: { node: string; count: number }[]
}

/** How often a keyword was hit. */
export interface KeywordSum {
  kind: string
  sourceId: string
  keyword: string
  hits: number
}

/** Everything that the report on the chatbot reads from counts, all of one moment. */
export interface BotCounts {
  /** By the points of the report. */
  points: SessionSums[]
  /** Most sessions first. */
  flows: FlowSums[]
  /** Most hits first. */
  keywords: KeywordSum[]
  ai: AiSums
}

const noSessions = (): SessionSums => ({
  ...{ sessions: 0, completed: 0, autoResolved: 0, transferred: 0, abandoned: 0 },
  ...{ messages: 0, botMessages: 0, botTurns: 0, resolutionMs: 0 },
})

/** The columns that are added up, and the field of each. */
const FIELDS = {
  sessions: 'sessions',
  completed: 'completed',
  auto_resolved: 'autoResolved',
  transferred: 'transferred',
  abandoned: 'abandoned',
  messages: 'messages',
  bot_messages: 'botMessages',
  bot_turns: 'botTurns',
  resolution_ms: 'resolutionMs',
} as const satisfies Readonly<Record<string, keyof SessionSums>>

const SUMS = Object.keys(FIELDS)
const NAMES = Object.values(FIELDS)

function addTo(sums: SessionSums, values: readonly CountValue[]): void {
  for (const [nth, field] of NAMES.entries()) sums[field] += Number(values[nth])
}

/** Returns the sums of the sessions of all points. */
export function sumOfPoints(points: readonly SessionSums[]): SessionSums {
  const sums = noSessions()
  for (const point of points)
    for (const [field, value] of Object.entries(point) as [keyof SessionSums, number][])
      sums[field] += value
  return sums
}

type Where = (readonly [condition: string, value: SQLQueryBindings])[]

/** Reads the counts of the chatbot, erased sessions included. */
export function readBotCounts(
  ctx: ReadCtx,
  { accountId, flowId }: BotFilter,
  { plan, points }: { plan: RollupPlan; points: number },
): BotCounts {
  const ofNumber: Where =
    accountId === undefined ? [] : [['account_id = ?', uuidToBytes(accountId)]]
  const ofFlow: Where = flowId === undefined ? [] : [['flow_id = ?', uuidToBytes(flowId)]]
  const startedFlow: Where =
    flowId === undefined
      ? []
      : [
          ['kind = ?', 'flow'],
          ['source_id = ?', uuidToBytes(flowId)],
        ]
  const sessions = { table: 'bot_session_counts', sums: SUMS, plan } as const
  const flows: RollupReading = {
    ...{ ...sessions, keys: ['flow_id', 'node'], addUp: 'over all' },
    where: [['flow_id <> ?', uuidToBytes(NIL_UUID)], ...ofNumber, ...ofFlow],
  }
  const keywords: RollupReading = {
    ...{ table: 'keyword_rollups', keys: ['kind', 'source_id', 'keyword'] },
    ...{ sums: ['hits'], plan, addUp: 'over all' },
    where: [...ofNumber, ...startedFlow],
  }
  const timeline: RollupReading = { ...sessions, keys: [], where: [...ofNumber, ...ofFlow] }
  return {
    points: pointsOf(countsOf(ctx, timeline), plan, points),
    flows: flowsOf(countsOf(ctx, flows)),
    keywords: keywordsOf(countsOf(ctx, keywords)),
    ai: aiSumsOf(countsOf(ctx, aiReading(plan, accountId))),
  }
}

function pointsOf(rows: readonly CountRow[], plan: RollupPlan, count: number): SessionSums[] {
  const points = Array.from({ length: count }, noSessions)
  for (const [unit, start, ...values] of rows) {
    const point = points[plan.pointOf(unit, start)]
    if (point) addTo(point, values)
  }
  return points
}

const idOf = (value: CountValue | undefined): string =>
  value instanceof Uint8Array ? bytesToUuid(value) : ''

function flowsOf(rows: readonly CountRow[]): FlowSums[] {
  const flows = new Map<string, { sums: SessionSums; nodes: Map<string, number> }>()
  for (const [, , id, node = '', ...values] of rows) {
    const flowId = idOf(id)
    const flow = flows.get(flowId) ?? { sums: noSessions(), nodes: new Map<string, number>() }
    flows.set(flowId, flow)
    addTo(flow.sums, values)
    const abandoned = Number(values[SUMS.indexOf('abandoned')])
    const name = String(node)
    if (name !== '') flow.nodes.set(name, (flow.nodes.get(name) ?? 0) + abandoned)
  }
  return [...flows]
    .filter(([, { sums }]) => sums.sessions > 0)
    .map(([flowId, { sums, nodes }]) => ({
      ...{ flowId, sums },
      abandonedAt: [...nodes]
        .map(([node, count]) => ({ node, count }))
        .filter(({ count }) => count > 0)
        .toSorted((a, b) => b.count - a.count || (a.node < b.node ? -1 : 1)),
    }))
    .toSorted((a, b) => b.sums.sessions - a.sums.sessions || (a.flowId < b.flowId ? -1 : 1))
}

function keywordsOf(rows: readonly CountRow[]): KeywordSum[] {
  const sums = new Map<string, KeywordSum>()
  for (const [, , kind, source, keyword, hits] of rows) {
    const sourceId = idOf(source)
    const key = JSON.stringify([kind, sourceId, keyword])
    const known = sums.get(key)?.hits ?? 0
    sums.set(key, {
      ...{ kind: String(kind), sourceId, keyword: String(keyword) },
      hits: known + Number(hits),
    })
  }
  return [...sums.values()].toSorted(
    (a, b) =>
      b.hits - a.hits ||
      (a.keyword < b.keyword ? -1 : a.keyword > b.keyword ? 1 : a.sourceId < b.sourceId ? -1 : 1),
  )
}
