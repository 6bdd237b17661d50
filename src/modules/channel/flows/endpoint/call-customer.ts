import type { Ctx } from '../../../../infra/ctx'
import { FetchRefusal } from '../../../../infra/guarded-fetch'
import { isObject, objectOf } from '../../../../platform/lenient-json'
import { isoTime } from '../../../../lib/clock'
import { signWebhook } from '../../../../lib/standard-webhook'
import { decryptFlowSecret } from './secrets'
import type { FlowRow, StoredConfig } from '../view'

/** Limits for requests to customer endpoints. */
const LIMITS = { maxBytes: 256 * 1024, totalTimeoutMs: 5_000, maxRedirects: 0 } as const

/** A data exchange request for a customer endpoint. */
export interface ExchangeRequest {
  contactId: string
  messageId: string
  accountId: string
  flowToken: string
  action: string
  screen: string | null
  data: Record<string, unknown>
}

/** The next screen and its data. */
export interface ShownScreen {
  screen: string
  data: Record<string, unknown>
}

/**
 * A data exchange without a usable answer. `reason` is for the log and contains no entered data.
 */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'

  constructor(readonly reason: string) {
    super(reason)
  }
}

/**
 * Requests the next screen from the customer endpoint, signed like webhooks (webhooks contract 3),
 * through the guarded client. Throws ExchangeError without a usable answer within 5 seconds and 256
 * KiB.
 */
export async function callCustomer(
  ctx: Ctx,
  flow: FlowRow,
  question: ExchangeRequest,
  signal: AbortSignal,
): Promise<ShownScreen> {
  const { url = '' } = JSON.parse(flow.endpointConfig) as StoredConfig
  const timestampMs = ctx.clock.nowMs()
  const body = JSON.stringify({
    type: 'flow.exchange',
    timestamp: isoTime(timestampMs),
    organization_id: ctx.organizationId,
    data: {
      flow_id: flow.id,
      account_id: question.accountId,
      contact_id: question.contactId,
      message_id: question.messageId,
      flow_token: question.flowToken,
      action: question.action,
      screen: question.screen,
      data: question.data,
    },
  })
  const id = `msg_${ctx.ids.next()}`
  const timestampS = Math.floor(timestampMs / 1_000)
  const headers = {
    ...(JSON.parse(decryptFlowSecret(ctx, flow, 'headers') ?? '{}') as Record<string, string>),
    'content-type': 'application/json',
    'user-agent': 'Switchboard-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signWebhook(decryptFlowSecret(ctx, flow, 'secret') ?? '', {
      id,
      timestampS,
      body,
    }),
  }
  try {
    const answer = await ctx.fetchGuarded(url, {
      ...LIMITS,
      signal,
      sends: { method: 'POST', body, headers },
    })
    const pieces: Uint8Array[] = []
    for await (const piece of answer.bytes) pieces.push(piece)
    return screenOf(JSON.parse(Buffer.concat(pieces).toString('utf8')))
  } catch (error) {
    if (error instanceof FetchRefusal)
      throw new ExchangeError(error.kind === 'status' ? `status: ${error.reason}` : error.kind)
    if (error instanceof SyntaxError) throw new ExchangeError('not_json')
    throw error
  }
}

function screenOf(answer: unknown): ShownScreen {
  if (!isObject(answer) || typeof answer['screen'] !== 'string')
    throw new ExchangeError('no_screen')
  if (answer['data'] !== undefined && !isObject(answer['data']))
    throw new ExchangeError('data_is_no_object')
  return { screen: answer['screen'], data: objectOf(answer['data']) }
}
