import { request as plainRequest } from 'node:http'
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'

export interface HttpRequest {
  url: URL
  method: 'GET' | 'POST' | 'DELETE'
  headers: Record<string, string>
  body: string | Uint8Array | null
  signal: AbortSignal | undefined
}

/** Timeouts and size limit of an HTTP exchange. */
export interface HttpLimits {
  /** Limit until the connection is established (DNS, TCP and TLS), in milliseconds. */
  connectTimeoutMs: number
  /** Limit until the last byte of the response, in milliseconds. */
  totalTimeoutMs: number
  maxResponseBytes: number
  agent: Agent
}

/**
 * Result of an HTTP exchange. Causes are codes such as `ECONNREFUSED` or `total_timeout` and never
 * contain addresses.
 */
export type HttpResult =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: Buffer }
  /** Not a byte of the request left this machine. */
  | { kind: 'not_sent'; cause: string }
  /**
   * The request may have arrived; the answer was not (wholly) read. `status` is the status line,
   * where one came.
   */
  | { kind: 'lost'; cause: string; status: number | null }

/**
 * Sends a request and returns the complete response. Never throws for network failures. Redirects
 * are returned like any other response.
 *
 * Uses node:http instead of fetch for two reasons. fetch reports a failed TLS handshake and a
 * connection cut after the request with the same ECONNRESET, while socket events tell whether a
 * byte can have been sent. And fetch has no connect timeout.
 */
export function sendHttpRequest(call: HttpRequest, limits: HttpLimits): Promise<HttpResult> {
  const { promise, resolve } = Promise.withResolvers<HttpResult>()
  const isSecure = call.url.protocol === 'https:'
  const { url, method, headers } = call
  let isMaybeSent = false
  let status: number | null = null

  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method,
    headers,
    agent: limits.agent,
  })
  const connectTimer = setTimeout(() => stop('connect_timeout'), limits.connectTimeoutMs)
  const totalTimer = setTimeout(() => stop('total_timeout'), limits.totalTimeoutMs)
  const onAbort = () => stop('aborted')

  // Only the first result counts: destroying the request makes it emit an error too.
  function finish(result: HttpResult): void {
    clearTimeout(connectTimer)
    clearTimeout(totalTimer)
    call.signal?.removeEventListener('abort', onAbort)
    resolve(result)
  }
  function fail(cause: string): void {
    finish(isMaybeSent ? { kind: 'lost', cause, status } : { kind: 'not_sent', cause })
  }
  function stop(cause: string): void {
    fail(cause)
    request.destroy()
  }
  function connected(): void {
    isMaybeSent = true
    clearTimeout(connectTimer)
  }

  request.on('socket', (socket) => {
    // A reused connection sends the request immediately, a new one after it is established, with
    // TLS after the handshake.
    if (request.reusedSocket || !socket.connecting) connected()
    else socket.once(isSecure ? 'secureConnect' : 'connect', connected)
  })
  request.on('error', (error) => fail(causeOf(error)))
  request.on('response', (response) => {
    connected()
    status = response.statusCode ?? null
    collect(response, limits.maxResponseBytes, {
      done: (body) =>
        finish({ kind: 'answered', status: status ?? 0, headers: response.headers, body }),
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
  response: IncomingMessage,
  maxBytes: number,
  { done, fail, stop }: Collecting,
): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) stop('answer_too_large')
    else chunks.push(chunk)
  })
  response.on('end', () =>
    response.complete ? done(Buffer.concat(chunks)) : fail('connection_lost'),
  )
  response.on('aborted', () => fail('connection_lost'))
  response.on('error', (error) => fail(causeOf(error)))
}

function causeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'connection_lost'
}
