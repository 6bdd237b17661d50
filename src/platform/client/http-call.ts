import { request as plainRequest } from 'node:http'
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'

/** One HTTP request, ready to go out. */
export interface Call {
  url: URL
  method: 'GET' | 'POST' | 'DELETE'
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal | undefined
}

/** How long and how much an exchange may take. */
export interface ExchangeLimits {
  /** Until the connection stands (DNS, TCP and TLS), in milliseconds. */
  connectTimeoutMs: number
  /** From start to the last byte of the answer, in milliseconds. */
  totalTimeoutMs: number
  maxAnswerBytes: number
  agent: Agent
}

/**
 * How an exchange ended. Causes are words such as `ECONNREFUSED` or `total_timeout`, never texts
 * with addresses in them.
 */
export type ExchangeEnd =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: Buffer }
  /** Not a byte of the request left this machine. */
  | { kind: 'not_sent'; cause: string }
  /**
   * The request may have arrived; the answer was not (wholly) read. `status` is the status line,
   * where one came.
   */
  | { kind: 'lost'; cause: string; status: number | null }

/**
 * One HTTP request and its whole answer; never throws for what the network does. Redirects are
 * answers like any other.
 *
 * Over node:http and not fetch for two reasons: fetch reports a failed TLS handshake and a
 * connection cut after the request with the same ECONNRESET, while the socket's own events tell
 * whether a byte can have been sent; and its timeout knows no connecting.
 */
export function callOverHttp(call: Call, limits: ExchangeLimits): Promise<ExchangeEnd> {
  const { promise, resolve } = Promise.withResolvers<ExchangeEnd>()
  const isSecure = call.url.protocol === 'https:'
  const { url, method, headers } = call
  let maybeSent = false
  let status: number | null = null

  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method,
    headers,
    agent: limits.agent,
  })
  const connectTimer = setTimeout(() => stop('connect_timeout'), limits.connectTimeoutMs)
  const totalTimer = setTimeout(() => stop('total_timeout'), limits.totalTimeoutMs)
  const onAbort = () => stop('aborted')

  // Only the first end counts: destroying the request makes it report an error of its own.
  function finish(end: ExchangeEnd): void {
    clearTimeout(connectTimer)
    clearTimeout(totalTimer)
    call.signal?.removeEventListener('abort', onAbort)
    resolve(end)
  }
  function fail(cause: string): void {
    finish(maybeSent ? { kind: 'lost', cause, status } : { kind: 'not_sent', cause })
  }
  function stop(cause: string): void {
    fail(cause)
    request.destroy()
  }
  function connected(): void {
    maybeSent = true
    clearTimeout(connectTimer)
  }

  request.on('socket', (socket) => {
    // A kept connection takes the request at once. A new one only when it stands, with TLS after
    // the handshake.
    if (request.reusedSocket || !socket.connecting) connected()
    else socket.once(isSecure ? 'secureConnect' : 'connect', connected)
  })
  request.on('error', (error) => fail(causeOf(error)))
  request.on('response', (answer) => {
    connected()
    status = answer.statusCode ?? null
    collect(answer, limits.maxAnswerBytes, {
      done: (body) =>
        finish({ kind: 'answered', status: status ?? 0, headers: answer.headers, body }),
      fail,
      stop,
    })
  })
  call.signal?.addEventListener('abort', onAbort, { once: true })
  if (call.signal?.aborted) stop('aborted')
  else request.end(call.body ?? undefined)
  return promise
}

interface Collecting {
  done: (body: Buffer) => void
  fail: (cause: string) => void
  stop: (cause: string) => void
}

function collect(
  answer: IncomingMessage,
  maxBytes: number,
  { done, fail, stop }: Collecting,
): void {
  const chunks: Buffer[] = []
  let size = 0
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) stop('answer_too_large')
    else chunks.push(chunk)
  })
  answer.on('end', () => (answer.complete ? done(Buffer.concat(chunks)) : fail('connection_lost')))
  answer.on('aborted', () => fail('connection_lost'))
  answer.on('error', (error) => fail(causeOf(error)))
}

function causeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection_lost'
}
