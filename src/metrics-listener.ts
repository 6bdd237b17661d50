import type { Server } from 'bun'

import type { Config } from './config'
import type { Program } from './container'
import { DEFAULT_METRICS_ADDRESS } from './environment'
import { requestIdOf } from './http/hooks'
import { constantHeaders } from './http/response-headers'
import { AppError } from './lib/errors'
import { ListenError, privilegeMessage } from './listen'
import { metricsType, readMetrics } from './modules/operation/system/metrics/collect'
import { requireMetricsToken } from './modules/operation/system/metrics/require-token'

/** Serves only metrics, on their own address. Throws Bun's error if it cannot listen. */
export function listenForMetrics(
  program: Program,
  at: { host: string; port: number },
): Server<unknown> {
  const { http, lifecycle, realtime } = program
  return Bun.serve({
    hostname: at.host,
    port: at.port,
    development: false,
    reusePort: false,
    maxRequestBodySize: 0,
    async fetch(request) {
      const id = requestIdOf(request.headers, http.ids)
      const headers = {
        ...constantHeaders(http.settings.baseUrl),
        'cache-control': 'no-store',
        'x-request-id': id,
      }
      if (new URL(request.url).pathname !== '/metrics' || request.method !== 'GET')
        return new Response('This address serves only metrics: GET /metrics\n\n', {
          status: 404,
          headers,
        })
      try {
        requireMetricsToken(http, request.headers, { isLocal: true })
        const text = await readMetrics(http, { lifecycle, sockets: realtime.sockets })
        return new Response(text, { headers: { ...headers, 'content-type': metricsType(http) } })
      } catch (error) {
        if (error instanceof AppError)
          return new Response(`${error.message}\n`, { status: error.httpStatus, headers })
        http.log.error({ error, request_id: id }, 'metrics could not be read')
        return new Response('Metrics could not be read.\n', { status: 500, headers })
      }
    },
  })
}

/**
 * Throws ListenError if metrics cannot be served at a configured address. The default address may
 * be in use.
 */
export function requireMetricsAddress(at: Config['metricsAddress']): void {
  if (at === null || addressOf(at) === DEFAULT_METRICS_ADDRESS) return
  try {
    Bun.serve({
      hostname: at.host,
      port: at.port,
      reusePort: false,
      fetch: () => new Response(null, { status: 503 }),
    })
      .stop(true)
      .catch(() => undefined) // it no longer listens when `stop` returns
  } catch (error) {
    throw metricsListenError(at, error)
  }
}

const addressOf = ({ host, port }: { host: string; port: number }): string => `${host}:${port}`

function metricsListenError(at: { host: string; port: number }, error: unknown): ListenError {
  const isRefused = error instanceof Error && 'code' in error && error.code === 'EACCES'
  return new ListenError(
    isRefused
      ? privilegeMessage(at.port, 'METRICS_ADDRESS')
      : `Cannot listen on ${addressOf(at)}. Set METRICS_ADDRESS.`,
  )
}

/**
 * Serves metrics on their own address. Logs a warning if the default address is in use, and throws
 * ListenError if a configured one cannot be used.
 */
export function serveMetrics(
  program: Program,
  at: Config['metricsAddress'],
): Server<unknown> | null {
  if (at === null) return null
  try {
    return listenForMetrics(program, at)
  } catch (error) {
    if (addressOf(at) !== DEFAULT_METRICS_ADDRESS) throw metricsListenError(at, error)
    program.http.log.warn(
      { address: addressOf(at) },
      'metrics not served: the address is already in use; set METRICS_ADDRESS',
    )
    return null
  }
}
