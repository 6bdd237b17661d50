import type { Server } from 'bun'

import { SECOND_MS } from '../lib/clock'
import type { Ids } from '../lib/ids'
import { fail, ok } from './envelope'
import { requestIdOf } from './hooks'
import { constantHeaders } from './response-headers'

/** When a client should try again, seconds. */
const RETRY_AFTER_S = 5

/** Bun's own body limit, bytes. A larger body would get Bun's error instead of the server's. */
const BODY_CEILING = 1024 * 1024 * 1024

/** The state of a starting server. */
export interface StartupServer {
  /** What the server is doing, as a check of `/ready` and as a sentence. */
  check: string
  why: string
  version: string
  baseUrl: string
  ids: Ids
}

/**
 * Listens while the server is starting: `/health` reports that the process is running, and
 * everything else gets 503 with the reason, so that a long start is not mistaken for a crash.
 * Throws Bun's error if it cannot listen.
 */
export function openStartupServer(
  at: { host: string; port: number },
  { check, why, version, baseUrl, ids }: StartupServer,
): Server<unknown> {
  const startedMs = performance.now()
  const answer = (request: Request): { status: number; body: unknown } => {
    const { pathname } = new URL(request.url)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && pathname === '/health')
      return {
        status: 200,
        body: ok({
          status: 'ok',
          version,
          uptime_seconds: Math.floor((performance.now() - startedMs) / SECOND_MS),
        }),
      }
    return {
      status: 503,
      body: fail(why, { code: 'not_ready', details: { [check]: why } }),
    }
  }
  return Bun.serve({
    hostname: at.host,
    port: at.port,
    development: false,
    reusePort: false,
    maxRequestBodySize: BODY_CEILING, // bodies are never read
    fetch(request) {
      const { status, body } = answer(request)
      return Response.json(body, {
        status,
        headers: {
          ...constantHeaders(baseUrl),
          'cache-control': 'no-store',
          'x-request-id': requestIdOf(request.headers, ids),
          ...(status === 200 ? {} : { 'retry-after': String(RETRY_AFTER_S) }),
        },
      })
    },
  })
}
