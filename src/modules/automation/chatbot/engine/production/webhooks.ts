import { SECOND_MS } from '../../../../../lib/clock'
import { isSameOrigin } from '../../../../../lib/outgoing-headers'
import type { JobCtx } from '../../../../../infra/ctx'
import { transact } from '../../../../../infra/db/transact'
import type { Outcome } from '../../../../../infra/jobs/work'
import { completionHeaders, headersOfNode, versionOf } from '../../bot-flows/queries'
import { nodeOf } from '../../bot-flows/graph'
import { askApi, requestTo } from '../api-request'
import type { OrderedWebhook } from '../model'
import { dataOf } from '../template-data'
import { productionPorts } from './ports'
import { findSession, sessionOf } from './store'
import { forgetWebhookIn } from './webhook-orders'

/** A webhook to send: of a node, or with `null` of the end of its flow. */
export interface WebhookOfSession {
  sessionId: string
  flowId: string
  flowVersion: number
  nodeId: string | null
  key: string
}

const TIMEOUT_MS = 10 * SECOND_MS

/**
 * Sends a webhook of a flow with the values that it had at its step. A failed request is sent again,
 * with the same `Idempotency-Key`.
 */
export async function sendBotWebhook(ctx: JobCtx, webhook: WebhookOfSession): Promise<Outcome> {
  const built = requestOf(ctx, webhook)
  if (built === null) return undefined
  if ('problem' in built) return { giveUp: built.problem }
  const result = await askApi(ctx.fetchGuarded, built.request, ctx.signal)
  if (result.isOk) {
    transact(ctx.db, (tx) => forgetWebhookIn(tx, ctx, webhook))
    return undefined
  }
  const isLasting = result.status !== null && result.status < 500 && result.status !== 429
  if (isLasting || result.error === 'refused_address') return { giveUp: result.error ?? 'refused' }
  throw new Error(`webhook of a bot flow failed: ${result.error ?? 'unknown'}`)
}

function requestOf(ctx: JobCtx, webhook: WebhookOfSession) {
  const row = findSession(ctx, webhook.sessionId)
  const session = row && sessionOf(row)
  const ordered = session?.state.webhooks[webhook.key]
  if (!row || !session || !ordered) return null
  const headers = headersOf(ctx, webhook, ordered)
  if (headers === null) return null
  return transact(ctx.db, (tx) => {
    const place = { contactId: row.contactId, accountId: row.accountId }
    const ports = productionPorts(tx, ctx, { place, before: row })
    return requestTo(
      ctx.liquid,
      ordered,
      { method: ordered.method, headers, timeoutMs: TIMEOUT_MS, mapping: {}, key: webhook.key },
      dataOf(ports, { session, turn: null }),
    )
  })
}

/** Returns the decrypted headers of a webhook; `null` if it is no longer part of its flow. */
function headersOf(
  ctx: JobCtx,
  { flowId, flowVersion, nodeId }: WebhookOfSession,
  { url }: OrderedWebhook,
): Record<string, string> | null {
  const flow = versionOf(ctx, flowId, flowVersion)
  if (!flow) return null
  if (nodeId !== null)
    return nodeOf(flow.graph, nodeId)?.type === 'webhook' ? headersOfNode(ctx, flow, nodeId) : null
  const { completion } = flow.settings
  if (!completion) return null
  // The settings apply at once: headers that were since given for another host are not sent here.
  const isMoved = completion.headerNames.length > 0 && !isSameOrigin(completion.url, url)
  return isMoved ? null : completionHeaders(ctx, flowId)
}
