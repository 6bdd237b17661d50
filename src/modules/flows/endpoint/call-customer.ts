import type { Ctx } from '../../../infra/ctx'
import { FetchRefusal } from '../../../infra/guarded-fetch'
import { isObject, objectOf } from '../../../platform/lenient-json'
import { isoTime } from '../../../lib/clock'
import { signWebhook } from '../../../lib/standard-webhook'
import { openOfFlow } from './config'
import type { FlowRow, StoredConfig } from '../view'

/** What a customer's address may take and say. */
const LIMITS = { maxBytes: 256 * 1024, totalTimeoutMs: 5_000, maxRedirects: 0 } as const

/** A question of a form, as an address of the customer's is asked. */
export interface Question {
  contactId: string
  messageId: string
  accountId: string
  flowToken: string
  action: string
  screen: string | null
  data: Record<string, unknown>
}

/** The next screen and what it is given. */
export interface Screen {
  screen: string
  data: Record<string, unknown>
}

/**
 * A customer's address gave no usable answer; `reason` is a word for the log, without anything
 * anybody filled in.
 */
export class AnswerRefusal extends Error {
  override readonly name = 'AnswerRefusal'

  constructor(readonly reason: string) {
    super(reason)
  }
}

/**
 * Asks the customer's address of a form what comes next, signed as webhooks are (webhooks contract
 * 3), through the guarded client. Throws AnswerRefusal when it gives no usable answer within five
 * seconds and 256 KiB.
 */
export async function askCustomer(
  ctx: Ctx,
  flow: FlowRow,
  question: Question,
  signal: AbortSignal,
): Promise<Screen> {
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
    ...(JSON.parse(openOfFlow(ctx, flow, 'headers') ?? '{}') as Record<string, string>),
    'content-type': 'application/json',
    'user-agent': 'Switchboard-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signWebhook(openOfFlow(ctx, flow, 'secret') ?? '', {
      id,
      timestampS,
      body,
    }),
  }
  try {
    const answer = await ctx.fetchGuarded(url, { ...LIMITS, signal, posts: { body, headers } })
    const pieces: Uint8Array[] = []
    for await (const piece of answer.bytes) pieces.push(piece)
    return screenOf(JSON.parse(Buffer.concat(pieces).toString('utf8')))
  } catch (error) {
    if (error instanceof FetchRefusal)
      throw new AnswerRefusal(error.kind === 'status' ? `status: ${error.reason}` : error.kind)
    if (error instanceof SyntaxError) throw new AnswerRefusal('not_json')
    throw error
  }
}

function screenOf(answer: unknown): Screen {
  if (!isObject(answer) || typeof answer['screen'] !== 'string')
    throw new AnswerRefusal('no_screen')
  if (answer['data'] !== undefined && !isObject(answer['data']))
    throw new AnswerRefusal('data_is_no_object')
  return { screen: answer['screen'], data: objectOf(answer['data']) }
}
