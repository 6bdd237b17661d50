import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { numberOf, objectOf, wordOf, type JsonObject } from '../../../platform/lenient-json'
import type { AccountRow } from '../accounts/view'
import { notifyIn } from '../../organization/notifications/service'
import { holdersOf } from '../../organization/roles/holders'
import { SyncFlows } from './jobs'
import { STATUSES } from './model'
import { changeFlowIn, findFlowByMetaId, findFlow } from './state'
import type { FlowRow } from './view'
import { noticeText } from '../../organization/notifications/catalog'

/** Alert events of the platform; the newest of each kind is stored. */
const ALERTS: ReadonlySet<string> = new Set([
  'CLIENT_ERROR_RATE',
  'ENDPOINT_ERROR_RATE',
  'ENDPOINT_LATENCY',
  'ENDPOINT_AVAILABILITY',
])

export interface StoredAlert {
  at_ms: number
  is_active: boolean
  message: string
}

/**
 * Applies a Flow webhook (inbound contract 9): a status or an alert. Runs in the caller's
 * transaction. Ignores events older than the stored data; an unknown Flow starts a sync. Returns
 * whether the webhook names a Flow.
 */
export function applyFlowWebhookIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  value: unknown,
  atMs: number,
): boolean {
  const news = objectOf(value)
  const metaFlowId = wordOf(news.flow_id)
  if (metaFlowId === null) return false
  const row = findFlowByMetaId(ctx, metaFlowId)
  if (row === null) {
    enqueue(tx, ctx, SyncFlows, {
      args: { accountId: account.id },
      uniqueKey: `flow-sync:${account.id}:${metaFlowId}:${atMs}`,
    })
    return true
  }
  const event = wordOf(news.event) ?? ''
  if (event === 'FLOW_STATUS_CHANGE') applyStatusIn(tx, ctx, row, { news, atMs })
  else if (ALERTS.has(event)) applyAlertIn(tx, ctx, row, { event, news, atMs })
  return true
}

interface FlowUpdate {
  news: JsonObject
  atMs: number
}

function applyStatusIn(tx: Tx, ctx: Ctx, row: FlowRow, { news, atMs }: FlowUpdate): void {
  const status = STATUSES.find((known) => known === wordOf(news.new_status)?.toUpperCase())
  if (status === undefined || atMs < row.statusAtMs) return
  const isOther = status !== row.status
  changeFlowIn(tx, ctx, row.id, { status, statusAtMs: atMs }, isOther ? ['status'] : [])
  if (isOther && (status === 'BLOCKED' || status === 'THROTTLED'))
    notifyAboutFlowIn(tx, ctx, row, status, wordOf(news.message))
}

/** Statuses that a send error may replace; a deprecated Flow stays deprecated. */
const REFUSED_FROM = { BLOCKED: ['PUBLISHED', 'THROTTLED'], THROTTLED: ['PUBLISHED'] } as const

/**
 * Stores the status that a send error reveals: blocked or throttled. Runs in the caller's
 * transaction. Later webhooks update it.
 */
export function recordSendErrorIn(
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
      title: `${status === 'BLOCKED' ? 'Flow blocked' : 'Flow throttled'}: ${row.name}`,
      text: noticeText(status === 'BLOCKED' ? 'flow_blocked' : 'flow_throttled', {
        about: row.name,
        ...(said === null ? {} : { reason: said.slice(0, 500) }),
      }),
      body: said === null ? words : `${words} Reason: ${said.slice(0, 500)}`,
      link: `/flows/${row.id}`,
    })
}

function applyAlertIn(
  tx: Tx,
  ctx: Ctx,
  row: FlowRow,
  { event, news, atMs }: FlowUpdate & { event: string },
): void {
  const alerts = JSON.parse(row.alerts) as Record<string, StoredAlert | undefined>
  if ((alerts[event]?.at_ms ?? 0) > atMs) return
  const isActive = wordOf(news.alert_state)?.toUpperCase() !== 'DEACTIVATED'
  const kept: StoredAlert = {
    at_ms: atMs,
    is_active: isActive,
    message: (wordOf(news.message) ?? figuresOf(news)).slice(0, 1_000),
  }
  changeFlowIn(tx, ctx, row.id, { alerts: JSON.stringify({ ...alerts, [event]: kept }) }, [
    'health',
  ])
}

/** Returns the figures of an alert that has no message. */
const figuresOf = (news: JsonObject): string =>
  ['error_rate', 'p90_latency', 'availability', 'threshold']
    .map((name) => [name, numberOf(news[name])] as const)
    .filter(([, figure]) => figure !== null)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(', ')
