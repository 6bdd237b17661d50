import { SECOND_MS } from '../../../../lib/clock'
import { signWebhook } from '../../../../lib/standard-webhook'
import type { Ctx } from '../../../../infra/ctx'
import { FetchRefusal, type GuardedAnswer } from '../../../../infra/guarded-fetch'
import type { EndpointRow } from '../row'
import type { ErrorKind } from '../table'
import { customHeaders, signingSecrets } from '../secrets'

/** Time limit of a whole request, and of its connection; milliseconds. */
const TIMEOUT_MS = 15 * SECOND_MS
const CONNECT_TIMEOUT_MS = 5 * SECOND_MS

/** Bytes of a response that are read, and those that are kept. */
const MAX_READ_BYTES = 64 * 1024
const KEPT_BYTES = 4 * 1024

/** Response headers that are kept. */
const SAFE_HEADERS = ['content-type', 'content-length', 'date', 'retry-after', 'server', 'location']

export interface RequestResult {
  durationMs: number
  statusCode: number | null
  errorKind: ErrorKind | null
  /** Why it failed, or `null` for a success. */
  error: string | null
  responseHeaders: Record<string, string> | null
  responseExcerpt: string | null
}

/** What a request sends. */
export interface WebhookRequest {
  messageId: string
  attempt: number
  body: string
}

/** Returns the headers of a request: the signature of this moment and the custom ones. */
export function requestHeaders(
  ctx: Pick<Ctx, 'vault' | 'clock' | 'version'>,
  endpoint: EndpointRow,
  { messageId, attempt, body }: WebhookRequest,
): Record<string, string> {
  const nowMs = ctx.clock.nowMs()
  const timestampS = Math.floor(nowMs / SECOND_MS)
  const signatures = signingSecrets(ctx, endpoint, nowMs).map((secret) =>
    signWebhook(secret, { id: messageId, timestampS, body }),
  )
  return {
    ...customHeaders(ctx, endpoint),
    'content-type': 'application/json',
    'user-agent': `Switchboard-Webhooks/${ctx.version}`,
    'webhook-id': messageId,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
    'webhook-attempt': String(attempt),
  }
}

/** Sends one signed request and measures it. Never throws: every failure is a result. */
export async function sendRequest(
  ctx: Ctx & { signal?: AbortSignal },
  endpoint: EndpointRow,
  request: WebhookRequest,
): Promise<RequestResult> {
  const result = await exchange(ctx, endpoint, request)
  ctx.metrics.webhookDeliveries.inc({ outcome: result.errorKind ?? 'delivered' })
  ctx.metrics.webhookDelivery.observe(result.durationMs / SECOND_MS)
  return result
}

async function exchange(
  ctx: Ctx & { signal?: AbortSignal },
  endpoint: EndpointRow,
  request: WebhookRequest,
): Promise<RequestResult> {
  const startedMs = performance.now()
  const tookMs = (): number => Math.round(performance.now() - startedMs)
  try {
    const answer = await ctx.fetchGuarded(endpoint.url, {
      maxBytes: Infinity, // no more than `MAX_READ_BYTES` are read
      totalTimeoutMs: TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      maxRedirects: 0,
      takesAnyStatus: true,
      takesRedirects: true,
      takesEncoded: true,
      signal: ctx.signal,
      keepsConnection: true,
      sends: {
        method: 'POST',
        headers: requestHeaders(ctx, endpoint, request),
        body: request.body,
      },
    })
    const responseExcerpt = await readExcerpt(answer)
    return {
      durationMs: tookMs(),
      statusCode: answer.status,
      ...judgeStatus(answer.status),
      responseHeaders: safeHeaders(answer),
      responseExcerpt,
    }
  } catch (error) {
    return {
      durationMs: tookMs(),
      statusCode: null,
      ...judgeFailure(error),
      responseHeaders: null,
      responseExcerpt: null,
    }
  }
}

function judgeStatus(status: number): Pick<RequestResult, 'errorKind' | 'error'> {
  if (status >= 200 && status < 300) return { errorKind: null, error: null }
  const isRedirect = status >= 300 && status < 400
  return {
    errorKind: isRedirect ? 'redirect' : 'status',
    error: isRedirect
      ? 'The endpoint answered with a redirect.'
      : `The endpoint answered ${status}.`,
  }
}

/** Texts of failures. None names an address. */
const FAILURES: Record<Exclude<ErrorKind, 'status'>, string> = {
  dns: 'The host name could not be resolved.',
  connect: 'The connection failed, or was not established within 5 seconds.',
  tls: 'The endpoint does not speak TLS, or has no valid certificate for this host.',
  protocol:
    'The endpoint closed the connection without an answer, or its answer is not valid HTTP.',
  timeout: 'The endpoint did not answer within 15 seconds.',
  refused_address: 'The address is not public.',
  redirect: 'The endpoint answered with a redirect.',
  body: 'The response could not be read.',
}

function judgeFailure(error: unknown): Pick<RequestResult, 'errorKind' | 'error'> {
  const kind = error instanceof FetchRefusal ? kindOf(error) : 'connect'
  return { errorKind: kind, error: FAILURES[kind] }
}

function kindOf({ kind, failure }: FetchRefusal): Exclude<ErrorKind, 'status'> {
  if (kind === 'timeout' || kind === 'refused_address') return kind
  if (kind === 'redirects') return 'redirect'
  return kind === 'unreachable' ? failure : 'body'
}

/** Reads the beginning of a response and drops the rest. Returns the text of its first bytes. */
async function readExcerpt(answer: GuardedAnswer): Promise<string | null> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.bytes) {
    if (size < KEPT_BYTES) pieces.push(piece)
    size += piece.length
    if (size >= MAX_READ_BYTES) break
  }
  if (answer.headers['content-encoding'] !== undefined) return null
  const text = Buffer.concat(pieces).subarray(0, KEPT_BYTES).toString('utf8')
  return text === '' ? null : text
}

function safeHeaders({ headers }: GuardedAnswer): Record<string, string> | null {
  const kept = SAFE_HEADERS.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, String(value).slice(0, 500)] as const]
  })
  return kept.length === 0 ? null : Object.fromEntries(kept)
}
