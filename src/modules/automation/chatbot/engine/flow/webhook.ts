import type { FlowVersion } from '../../bot-flows/queries'
import { renderTarget } from '../api-request'
import type { OrderedWebhook, Session } from '../model'
import { dataOf } from '../template-data'
import type { Run } from '../run'

/** Webhooks of a session that wait for their delivery. */
const MAX_WAITING = 100

/** A webhook to order: its templates, and the node; without one, the request at the end of the flow. */
interface WebhookOf {
  flow: FlowVersion
  nodeId: string | null
  key: string
  config: Pick<OrderedWebhook, 'method' | 'url'> & { body?: string | null | undefined }
}

/**
 * Orders a webhook with the values of this step: later steps may change them before it is sent.
 * Returns why there is none, or `null`.
 */
export function orderWebhook(
  run: Run,
  session: Session,
  { flow, nodeId, key, config }: WebhookOf,
): string | null {
  const { ports, turn } = run
  if (Object.keys(session.state.webhooks).length >= MAX_WAITING) return 'too_many_webhooks'
  const rendered = renderTarget(ports.liquid, config, dataOf(ports, { session, turn }))
  if ('problem' in rendered) return rendered.problem
  ports.sendWebhook(session, {
    flowId: flow.flowId,
    flowVersion: flow.version,
    nodeId,
    key,
    webhook: { method: config.method, ...rendered.target },
  })
  return null
}
