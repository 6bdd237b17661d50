import type { WebhookEvent } from '../../console/api/types.gen'
import { SwitchboardError } from './error'

/** A request that arrived at a webhook endpoint. */
export interface WebhookRequest {
  /** The bytes that arrived, or their text: not what was parsed and written again. */
  body: string | Uint8Array
  headers: Headers | Record<string, string | string[] | undefined>
  /** The secret of the endpoint; both of them while you replace a secret of your own. */
  secret: string | string[]
  /** Seconds that the clocks of server and receiver may differ: 300. */
  toleranceS?: number
  /** The present time in milliseconds: `Date.now()`. */
  nowMs?: number
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  try {
    return bytesOf(secret.replace(/^whsec_/, ''))
  } catch {
    throw new TypeError('A webhook secret is `whsec_` and base64.')
  }
}

/** Returns the signatures of a header. What is none is left out. */
const signaturesIn = (header: string): Uint8Array<ArrayBuffer>[] =>
  header.split(' ').flatMap((one) => {
    if (!one.startsWith('v1,')) return []
    try {
      return [bytesOf(one.slice(3))]
    } catch {
      return []
    }
  })

/** Returns a signature's message: `<webhook-id>.<webhook-timestamp>.<body>`. */
function signedBytes(id: string, timestamp: string, body: string | Uint8Array) {
  const encoder = new TextEncoder()
  const start = encoder.encode(`${id}.${timestamp}.`)
  const rest = typeof body === 'string' ? encoder.encode(body) : body
  const whole = new Uint8Array(start.length + rest.length)
  whole.set(start)
  whole.set(rest, start.length)
  return whole
}

/** Whether a signature was made with one of the secrets. Takes the same time for any wrong one. */
async function isSigned(
  message: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  secrets: string[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', keyBytes(secret), algorithm, false, ['verify'])
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, message)) return true
  }
  return false
}

/**
 * Verifies that a webhook came from your server, unchanged and just now, and returns its event.
 * Throws SwitchboardError with the code `bad_signature` or `too_old`: answer 401 then. An event may
 * arrive twice, with the same `id`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceS = 300, nowMs = Date.now() } = request
  const lower = new Headers(
    headers instanceof Headers
      ? headers
      : Object.entries(headers).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        ),
  )
  const [id = '', timestamp = '', header = ''] = ['id', 'timestamp', 'signature'].map(
    (name) => lower.get(`webhook-${name}`) ?? '',
  )
  const message = signedBytes(id, timestamp, body)
  if (!(await isSigned(message, signaturesIn(header), [secret].flat())))
    throw new SwitchboardError('bad_signature', 'No signature of the webhook is right.')
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= toleranceS))
    throw new SwitchboardError('too_old', 'The webhook is too old, or a clock is wrong.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  return JSON.parse(text) as WebhookEvent
}
