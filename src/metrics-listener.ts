import type { Server } from 'bun'

import { AppError } from './lib/errors'
import { metricsSources, type Program } from './container'
import { metricsType, readMetrics } from './modules/system/gauges'
import { requireMetricsToken } from './modules/system/metrics-token'

const HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** Serves metrics, and nothing else, on an address of their own. Throws what Bun throws when it cannot be listened on. */
export function listenForMetrics(program: Program, at: { host: string; port: number }): Server<unknown> {
  const { http } = program
  return Bun.serve({
    hostname: at.host,
    port: at.port,
    development: false,
    reusePort: false,
    maxRequestBodySize: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/metrics' || request.method !== 'GET')
        return new Response('There are only metrics here: GET /metrics\n', { status: 404, headers: HEADERS })
      try {
        requireMetricsToken(http, request.headers, { isLocal: true })
        const text = await readMetrics(http, metricsSources(program))
        return new Response(text, { headers: { ...HEADERS, 'content-type': metricsType(http) } })
      } catch (error) {
        if (error instanceof AppError) return new Response(`${error.message}\n`, { status: error.httpStatus, headers: HEADERS })
        http.log.error({ error }, 'metrics could not be read')
        return new Response('Metrics could not be read.\n', { status: 500, headers: HEADERS })
      }
    },
  })
}
