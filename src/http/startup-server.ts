import type { Server } from 'bun'

import { SECOND_MS } from '../lib/clock'
import type { Ids } from '../lib/ids'
import { fail, ok } from './envelope'
import { requestIdOf, constantHeaders } from './hooks'

/** Who asks again so soon finds out whether it is over, seconds. */
const RETRY_AFTER_S = 5

/** Bun's own limit, bytes: beyond it a client is told of its body instead of the server. */
const BODY_CEILING = 1024 * 1024 * 1024

/** What a waiting room is about. */
export interface StartupServer {
  /** What is being done, as a check of `/ready` and a sentence. */
  check: string
  why: string
  version: string
  baseUrl: string
  ids: Ids
}

/**
 * Listens while nothing can be served yet: says that the process lives and why it is not ready, and
 * refuses everything else with 503, so that nobody takes a long start for a dead one. Throws what
 * Bun throws when it cannot listen.
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
    maxRequestBodySize: BODY_CEILING, // a body is never read, whatever its size
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
