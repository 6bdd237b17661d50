import type { Server } from 'bun'

import { AppError } from './lib/errors'
import type { Program } from './container'
import { requestIdOf, constantHeaders } from './http/hooks'
import { metricsType, readMetrics } from './modules/system/metrics/collect'
import { requireMetricsToken } from './modules/system/metrics/require-token'

/**
 * Serves metrics, and nothing else, on an address of their own. Throws what Bun throws when it
 * cannot be listened on.
 */
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
