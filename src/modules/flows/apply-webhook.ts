import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { enqueue } from '../../infra/jobs/enqueue'
import { numberOf, objectOf, wordOf, type JsonObject } from '../../platform/lenient-json'
import type { AccountRow } from '../accounts/view'
import { notifyIn } from '../notifications/service'
import { holdersOf } from '../roles/holders'
import { SyncFlows } from './jobs'
import { STATUSES } from './model'
import { changeFlowIn, findByMetaId, findFlow } from './state'
import type { FlowRow } from './view'

/** What the platform tells of how a form fares; the newest of each kind is kept. */
const ALERTS: ReadonlySet<string> = new Set([
  'CLIENT_ERROR_RATE',
  'ENDPOINT_ERROR_RATE',
  'ENDPOINT_LATENCY',
  'ENDPOINT_AVAILABILITY',
])

/** An alert as it is kept. */
export interface KeptAlert {
  at_ms: number
  is_active: boolean
  message: string
}

/**
 * Follows news of the platform about a form, in the caller's transaction (inbound contract 9): its
 * state, and how it and its endpoint fare. What is older than what is known changes nothing. Of a
 * form nobody knows here all are fetched. Answers whether the news were about one.
 */
export function announceFlowNewsIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  value: unknown,
  atMs: number,
): boolean {
  const news = objectOf(value)
  const metaFlowId = wordOf(news.flow_id)
  if (metaFlowId === null) return false
  const row = findByMetaId(ctx, metaFlowId)
  if (row === null) {
    enqueue(tx, ctx, SyncFlows, {
      args: { accountId: account.id },
      uniqueKey: `flow-sync:${account.id}:${metaFlowId}:${atMs}`,
    })
    return true
  }
  const event = wordOf(news.event) ?? ''
  if (event === 'FLOW_STATUS_CHANGE') followStatusIn(tx, ctx, row, { news, atMs })
  else if (ALERTS.has(event)) followAlertIn(tx, ctx, row, { event, news, atMs })
  return true
}

interface News {
  news: JsonObject
  atMs: number
}

function followStatusIn(tx: Tx, ctx: Ctx, row: FlowRow, { news, atMs }: News): void {
  const status = STATUSES.find((known) => known === wordOf(news.new_status)?.toUpperCase())
  if (status === undefined || atMs < row.statusAtMs) return
  const isOther = status !== row.status
  changeFlowIn(tx, ctx, row.id, { status, statusAtMs: atMs }, isOther ? ['status'] : [])
  if (isOther && (status === 'BLOCKED' || status === 'THROTTLED'))
    notifyAboutFlowIn(tx, ctx, row, status, wordOf(news.message))
}

/** From where a refusal of the platform takes a form; one that was taken back stays so. */
const REFUSED_FROM = { BLOCKED: ['PUBLISHED', 'THROTTLED'], THROTTLED: ['PUBLISHED'] } as const

/**
 * Follows the platform's refusal to send a form, in the caller's transaction: it says by that how
 * the form fares, as its news do. News of a later time say how it goes on.
 */
export function followRefusalIn(
  tx: Tx,
  ctx: Ctx,
  flowId: string,
  refused: { status: keyof typeof REFUSED_FROM; atMs: number },
): void {
  const row = findFlow(ctx, flowId)
  const { status, atMs } = refused
  if (
    !row ||
    row.deletedAtMs !== null ||
    atMs < row.statusAtMs ||
    !REFUSED_FROM[status].some((from) => from === row.status)
  )
    return
  changeFlowIn(tx, ctx, row.id, { status, statusAtMs: atMs }, ['status'])
  notifyAboutFlowIn(tx, ctx, row, status, null)
}

function notifyAboutFlowIn(
  tx: Tx,
  ctx: Ctx,
  row: FlowRow,
  status: 'BLOCKED' | 'THROTTLED',
  said: string | null,
): void {
  const words =
    status === 'BLOCKED'
      ? 'The platform blocked this flow. It cannot be sent or opened until its endpoint works ' +
        'again.'
      : 'The platform limits this flow to ten sends per hour until its endpoint works again.'
  for (const userId of holdersOf(tx, ctx, 'flows:update'))
    notifyIn(tx, ctx, {
      userId,
      kind: status === 'BLOCKED' ? 'flow_blocked' : 'flow_throttled',
      severity: status === 'BLOCKED' ? 'critical' : 'warning',
      title: `${status === 'BLOCKED' ? 'A flow is blocked' : 'A flow is throttled'}: ${row.name}`,
      body: said === null ? words : `${words} Reason: ${said.slice(0, 500)}`,
      link: `/flows/${row.id}`,
    })
}

function followAlertIn(
  tx: Tx,
  ctx: Ctx,
  row: FlowRow,
  { event, news, atMs }: News & { event: string },
): void {
  const alerts = JSON.parse(row.alerts) as Record<string, KeptAlert | undefined>
  if ((alerts[event]?.at_ms ?? 0) > atMs) return
  const isActive = wordOf(news.alert_state)?.toUpperCase() !== 'DEACTIVATED'
  const kept: KeptAlert = {
    at_ms: atMs,
    is_active: isActive,
    message: (wordOf(news.message) ?? figuresOf(news)).slice(0, 1_000),
  }
  changeFlowIn(tx, ctx, row.id, { alerts: JSON.stringify({ ...alerts, [event]: kept }) }, [
    'health',
  ])
}

/** The figures of an alert without words. */
const figuresOf = (news: JsonObject): string =>
  ['error_rate', 'p90_latency', 'availability', 'threshold']
    .map((name) => [name, numberOf(news[name])] as const)
    .filter(([, figure]) => figure !== null)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(', ')
