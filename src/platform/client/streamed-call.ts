import { request as plainRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failureWithoutAnswer } from './response'
import type { ExchangeEnd } from './http-call'
import { PlatformError } from './errors'

/** URL and headers of a request. */
export interface Prepared {
  url: URL
  headers: Record<string, string>
}

/** Timeouts in milliseconds. */
export interface StreamLimits {
  connectTimeoutMs: number
  totalTimeoutMs: number
  maxAnswerBytes: number
}

/** A request whose stream is guarded by timeouts. */
export interface Watch {
  end(): void
  /** Why it was aborted; `null` if it was not. */
  cause(): string | null
}

/** Aborts a request that exceeds its connect or total timeout, or whose caller aborts. */
function watch(
  request: { destroy(error?: Error): unknown },
  limits: Pick<StreamLimits, 'connectTimeoutMs' | 'totalTimeoutMs'>,
  signal?: AbortSignal,
) {
  let why: string | null = null
  const cut = (cause: string): void => {
    why ??= cause
    request.destroy(new Error(cause))
  }
  const connecting = setTimeout(() => cut('connect_timeout'), limits.connectTimeoutMs)
  const total = setTimeout(() => cut('total_timeout'), limits.totalTimeoutMs)
  const onAbort = (): void => cut('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) cut('aborted')
  return {
    connected: () => clearTimeout(connecting),
    end() {
      clearTimeout(connecting)
      clearTimeout(total)
      signal?.removeEventListener('abort', onAbort)
    },
    cause: () => why,
  }
}

/** File calls are safe to repeat, so every broken connection may be retried. */
export const brokenOff = (cause: string, status: number | null = null): PlatformError =>
  failureWithoutAnswer('ambiguous', status, cause)

export const causeOf = (error: unknown, watched: Watch): string =>
  watched.cause() ??
  (error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'connection_lost')

/** Sends a request and resolves with the response, body unread. */
export function send(
  { url, headers }: Prepared,
  method: 'GET' | 'POST',
  limits: StreamLimits & { agent?: Agent },
  how: { signal?: AbortSignal | undefined; body?: AsyncIterable<Uint8Array> },
): Promise<{ answer: IncomingMessage; watched: Watch }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    answer: IncomingMessage
    watched: Watch
  }>()
  const isSecure = url.protocol === 'https:'
  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method,
    headers,
    agent: limits.agent ?? false,
  })
  const watched = watch(request, limits, how.signal)
  const fail = (error: unknown): void => {
    watched.end()
    const cause = causeOf(error, watched)
    reject(
      CONNECTING.has(cause) ? failureWithoutAnswer('unreachable', null, cause) : brokenOff(cause),
    )
  }
  request.on('socket', (socket) => {
    if (request.reusedSocket || !socket.connecting) watched.connected()
    else socket.once(isSecure ? 'secureConnect' : 'connect', watched.connected)
  })
  request.on('error', fail)
  request.on('response', (answer) => {
    watched.connected()
    resolve({ answer, watched })
  })
  if (how.body) pipeline(Readable.from(how.body), request).catch(fail)
  else request.end()
  return promise
}

const CONNECTING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'connect_timeout',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Reads a complete response up to a limit, in the form that `readAnswer` takes. */
export async function wholeOf(
  answer: IncomingMessage,
  maxBytes: number,
  watched: Watch,
): Promise<ExchangeEnd> {
  const status = answer.statusCode ?? 0
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > maxBytes) return { kind: 'lost', cause: 'answer_too_large', status }
      pieces.push(piece)
    }
    if (!answer.complete) return { kind: 'lost', cause: 'connection_lost', status }
    return { kind: 'answered', status, headers: answer.headers, body: Buffer.concat(pieces) }
  } catch (error) {
    return { kind: 'lost', cause: causeOf(error, watched), status }
  } finally {
    watched.end()
    answer.destroy()
  }
}
