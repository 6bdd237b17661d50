import { SECOND_MS } from '../../../../lib/clock'
import type { JobCtx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { completionHeaders, headersOfNode, versionOf } from '../../bot-flows/queries'
import { nodeOf } from '../../bot-flows/graph'
import { askApi, buildRequest, type RequestConfig } from '../api-request'
import { valuesOf } from '../render'
import { productionPorts } from './ports'
import { findSession, sessionOf } from './store'

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
 * Sends a webhook of a flow with the variables of the session. A failed request is sent again, with
 * the same `Idempotency-Key`.
 */
export async function sendBotWebhook(ctx: JobCtx, webhook: WebhookOfSession): Promise<Outcome> {
  const built = requestOf(ctx, webhook)
  if (built === null) return undefined
  if ('problem' in built) return { giveUp: built.problem }
  const result = await askApi(ctx.fetchGuarded, built.request, ctx.signal)
  if (result.isOk) return undefined
  const isLasting = result.status !== null && result.status < 500 && result.status !== 429
  if (isLasting || result.error === 'refused_address') return { giveUp: result.error ?? 'refused' }
  throw new Error(`webhook of a bot flow failed: ${result.error ?? 'unknown'}`)
}

function requestOf(ctx: JobCtx, { sessionId, flowId, flowVersion, nodeId, key }: WebhookOfSession) {
  const row = findSession(ctx, sessionId)
  const flow = versionOf(ctx, flowId, flowVersion)
  if (!row || !flow) return null
  const node = nodeId === null ? null : nodeOf(flow.graph, nodeId)
  const common = { timeoutMs: TIMEOUT_MS, mapping: {}, key }
  const completion = nodeId === null ? flow.settings.completion : null
  const config: RequestConfig | null = completion
    ? { ...completion, ...common, headers: completionHeaders(ctx, flowId) }
    : node?.type === 'webhook'
      ? { ...node.config, ...common, headers: headersOfNode(ctx, flow, node.id) }
      : null
  if (!config) return null
  const session = sessionOf(row)
  return transact(ctx.db, (tx) => {
    const place = { contactId: row.contactId, accountId: row.accountId }
    const ports = productionPorts(tx, ctx, { place, before: row })
    return buildRequest(ctx.liquid, config, {
      values: valuesOf(ports, { session, turn: session.state.run?.turn ?? null }),
      timezone: ports.timezone,
    })
  })
}
