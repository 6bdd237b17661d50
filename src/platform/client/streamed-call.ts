import { request as plainRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failureWithoutDetails } from './response'
import type { HttpResult } from './http-call'
import type { PlatformError } from './errors'

/** URL and headers of a request. */
export interface Prepared {
  url: URL
  headers: Record<string, string>
}

/** Timeouts in milliseconds. */
export interface StreamLimits {
  connectTimeoutMs: number
  totalTimeoutMs: number
  maxResponseBytes: number
}

/** A request whose stream is guarded by timeouts. */
export interface TimeoutGuard {
  end(): void
  /** Why it was aborted; `null` if it was not. */
  cause(): string | null
}

/** Aborts a request that exceeds its connect or total timeout, or whose caller aborts. */
function guardRequest(
  request: { destroy(error?: Error): unknown },
  limits: Pick<StreamLimits, 'connectTimeoutMs' | 'totalTimeoutMs'>,
  signal?: AbortSignal,
) {
  let abortCause: string | null = null
  const abort = (cause: string): void => {
    abortCause ??= cause
    request.destroy(new Error(cause))
  }
  const connectTimer = setTimeout(() => abort('connect_timeout'), limits.connectTimeoutMs)
  const totalTimer = setTimeout(() => abort('total_timeout'), limits.totalTimeoutMs)
  const onAbort = (): void => abort('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) abort('aborted')
  return {
    connected: () => clearTimeout(connectTimer),
    end() {
      clearTimeout(connectTimer)
      clearTimeout(totalTimer)
      signal?.removeEventListener('abort', onAbort)
    },
    cause: () => abortCause,
  }
}

/** File calls are safe to repeat, so every broken connection may be retried. */
export const retryableFailure = (cause: string, status: number | null = null): PlatformError =>
  failureWithoutDetails('ambiguous', status, cause)

/** Returns why a request failed: the timeout that aborted it, or the code of the error. */
export const causeOf = (error: unknown, guard: TimeoutGuard): string =>
  guard.cause() ??
  (error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'connection_lost')

/** Sends a request and resolves with the response, body unread. */
export function send(
  { url, headers }: Prepared,
  method: 'GET' | 'POST',
  limits: StreamLimits & { agent?: Agent },
  options: { signal?: AbortSignal | undefined; body?: AsyncIterable<Uint8Array> },
): Promise<{ response: IncomingMessage; guard: TimeoutGuard }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    response: IncomingMessage
    guard: TimeoutGuard
  }>()
  const isSecure = url.protocol === 'https:'
  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method,
    headers,
    agent: limits.agent ?? false,
  })
  const guard = guardRequest(request, limits, options.signal)
  const fail = (error: unknown): void => {
    guard.end()
    const cause = causeOf(error, guard)
    reject(
      UNREACHABLE_CAUSES.has(cause)
        ? failureWithoutDetails('unreachable', null, cause)
        : retryableFailure(cause),
    )
  }
  request.on('socket', (socket) => {
    if (request.reusedSocket || !socket.connecting) guard.connected()
    else socket.once(isSecure ? 'secureConnect' : 'connect', guard.connected)
  })
  request.on('error', fail)
  request.on('response', (response) => {
    guard.connected()
    resolve({ response, guard })
  })
  if (options.body) pipeline(Readable.from(options.body), request).catch(fail)
  else request.end()
  return promise
}

const UNREACHABLE_CAUSES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'connect_timeout',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Reads a complete response up to a limit, in the form that `readAnswer` takes. */
export async function readAll(
  response: IncomingMessage,
  maxBytes: number,
  guard: TimeoutGuard,
): Promise<HttpResult> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) return { kind: 'lost', cause: 'answer_too_large', status }
      chunks.push(chunk)
    }
    if (!response.complete) return { kind: 'lost', cause: 'connection_lost', status }
    return { kind: 'answered', status, headers: response.headers, body: Buffer.concat(chunks) }
  } catch (error) {
    return { kind: 'lost', cause: causeOf(error, guard), status }
  } finally {
    guard.end()
    response.destroy()
  }
}
