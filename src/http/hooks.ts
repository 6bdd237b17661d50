import { Elysia, type Context } from 'elysia'

import { InvalidError } from '../lib/errors'
import { plainAddress } from '../lib/address'
import { normalizePathIds, type Ids } from '../lib/ids'
import { logUnredacted, safeUrl } from '../infra/log'
import type { Http } from './http-deps'
import { authenticateRequest } from './authenticate-request'
import { countRequest, rateLimitHeaders } from './count-request'
import {
  findRequestFacts,
  rememberRequest,
  type ServerConnection,
  type RequestFacts,
} from './request-facts'
import {
  CONSTANT_HEADERS,
  constantHeaders,
  corsHeaders,
  CROSS_ORIGIN_RESOURCE,
} from './response-headers'
import { isUnder, withoutLastSlash } from './request-path'
import { WEBHOOK_PATH, isPlatformPath } from './platform-paths'

const REQUEST_ID = /^[A-Za-z0-9_.:-]{8,64}$/
const QUIET_PATHS = new Set(['/health', '/ready', '/metrics'])

/**
 * Returns the ID of a request: the caller's if it is 8 to 64 plain characters, otherwise a new one.
 */
export function requestIdOf(headers: Headers, ids: Ids): string {
  const requestedId = headers.get('x-request-id')
  return requestedId !== null && REQUEST_ID.test(requestedId) ? requestedId : ids.next()
}

type Headers_ = Context['set']['headers']

/**
 * Hooks that run before every route: request ID, constant headers, CORS, authentication and rate
 * limit.
 */
export const requestHooks = (http: Http) => {
  const constant = constantHeaders(http.settings.baseUrl)
  return new Elysia({ name: 'hooks' })
    .onRequest(async ({ request, set, server }) => {
      const facts = rememberRequest(request, factsOf(http, request, server))
      Object.assign(set.headers, constant, { 'x-request-id': facts.id })
      if (isHaproxyCheck(request, facts.path))
        return new Response(null, {
          status: 204,
          headers: { ...constant, 'x-request-id': facts.id },
        })
      if (!isHostValid(request, facts.path))
        return rejectHost(http, { request, facts, headers: set.headers })
      if (!isUnder('/api', facts.path)) return
      set.headers['cache-control'] = 'no-store'
      const preflight = allowOrigin(http, { request, facts, headers: set.headers })
      if (preflight) return preflight
      if (isPlatformPath(facts.path)) return
      await authenticateRequest(http, request, facts)
      countRequest(http.limiters, facts, set.headers)
      return
    })
    .onAfterResponse({ as: 'global' }, ({ request, set, route, responseValue }) => {
      const facts = findRequestFacts(request)
      if (!facts) return
      for (const file of facts.staged)
        http.files
          .discard(file)
          .catch((error: unknown) => http.log.warn({ error }, 'temporary file not deleted'))
      const status = responseValue instanceof Response ? responseValue.status : set.status
      recordResponse(http, facts, { method: request.method, route, status: Number(status ?? 200) })
    })
}

/**
 * Counts and logs a response, once per request. `route` is the route pattern, or `undefined` if no
 * route matched.
 */
export function recordResponse(
  http: Http,
  facts: RequestFacts,
  answer: { method: string; route: string | undefined; status: number },
): void {
  if (facts.isAnswered) return
  facts.isAnswered = true
  const { method, route, status } = answer
  http.eventLoop.noteRequest()
  const tookMs = performance.now() - facts.startedMs
  const labels = { method: methodOf(method), route: routeOf(route), status: String(status) }
  http.metrics.httpRequests.inc(labels)
  http.metrics.httpDuration.observe(labels, tookMs / 1_000)
  if (status < 400 && facts.isProxied) http.proxies.recordBody(facts.declaredBytes, true)
  const isDelivered = facts.path === WEBHOOK_PATH && method === 'POST' && status < 400
  if (isDelivered) http.deliverySummary.add(tookMs)
  logUnredacted(
    http.log,
    QUIET_PATHS.has(facts.path) || isDelivered ? 'debug' : 'info',
    {
      request_id: facts.id,
      method,
      route: route ?? null,
      path: safeUrl(facts.path),
      status,
      ...(status >= 400 ? { code: facts.code } : {}),
      address: facts.address,
      duration_ms: Math.round(tookMs * 10) / 10,
      organization_id: facts.actor?.organizationId ?? null,
      user_id: facts.actor?.userId ?? null,
    },
    'request',
  )
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])

/** The method label for metrics. Unknown methods become `other`, because clients can send any. */
const methodOf = (method: string): string => (METHODS.has(method) ? method : 'other')

/** The route label for metrics. Never the requested path. */
const routeOf = (route: string | undefined): string =>
  route === undefined || route === '' || route.includes('*') ? 'none' : route

/** A host name or address with an optional port (RFC 9110, 7.2). */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Whether a `Host` header is well-formed. */
const isHost = (host: string | null): boolean => host !== null && HOST.test(host)

/**
 * Whether the `Host` of a request is well-formed. It may be missing in health checks, because load
 * balancers send them over HTTP/1.0 without it.
 */
function isHostValid(request: Request, path: string): boolean {
  const host = request.headers.get('host')
  return isHost(host) || (host === null && QUIET_PATHS.has(path))
}

/** Whether a request is HAProxy's plain health check: `OPTIONS / HTTP/1.0` without `Host`. */
const isHaproxyCheck = ({ method, headers }: Request, path: string): boolean =>
  method === 'OPTIONS' && path === '/' && !headers.has('host')

/**
 * Matches URLs that may belong to a rate-limited route. With a malformed `Host` the start of the
 * path is unknown.
 */
const MAYBE_API = /\/api(?!\/webhook|\/flows\/endpoint\/|\/cells\/)(?:[/?]|$)/

/** A request whose route is not known yet, with its response headers. */
interface IncomingRequest {
  request: Request
  facts: RequestFacts
  headers: Headers_
}

/**
 * Rejects a request with a malformed `Host`. The request URL is built from it, and with a slash in
 * it the hooks would check another path than the router. Counts against the rate limit like other
 * requests. Throws InvalidError and RateLimitedError.
 */
async function rejectHost(
  http: Http,
  { request, facts, headers }: IncomingRequest,
): Promise<never> {
  if (MAYBE_API.test(request.url)) {
    await authenticateRequest(http, request, facts)
    countRequest(http.limiters, facts, headers)
  }
  throw new InvalidError('The Host header is missing or malformed.', { code: 'bad_host' })
}

function factsOf(http: Http, request: Request, line: ServerConnection | null): RequestFacts {
  // Without a Host the request URL is only its path.
  const start = request.url.startsWith('/')
    ? 0
    : request.url.indexOf('/', request.url.indexOf('://') + 3)
  const query = request.url.indexOf('?', start)
  const path =
    start === -1
      ? '/'
      : normalizePathIds(
          withoutLastSlash(request.url.slice(start, query === -1 ? undefined : query)),
        )
  return initialFactsOf(http, { request, path, line })
}

/**
 * Returns the initial facts of a request: ID, client address and whether it came through a proxy.
 */
function initialFactsOf(
  http: Http,
  { request, path, line }: { request: Request; path: string; line: ServerConnection | null },
): RequestFacts {
  const { headers } = request
  const peer = plainAddress(line?.requestIP(request)?.address ?? '127.0.0.1')
  const isProxied = !QUIET_PATHS.has(path) && http.proxies.observe({ headers, path, peer })
  return {
    id: requestIdOf(request.headers, http.ids),
    method: request.method,
    path,
    address: http.clientAddress(peer, headers.get('x-forwarded-for')),
    isProxied,
    declaredBytes: Number(headers.get('content-length') ?? 0),
    code: null,
    startedMs: performance.now(),
    judgedAtMs: 0,
    isReading: false,
    isAnswered: false,
    actor: null,
    isBulkCounted: false,
    showsCredential: false,
    refusal: null,
    attempt: null,
    inCtx: (ctx) => ctx,
    sent: null,
    line,
    staged: [],
  }
}

/**
 * Adds CORS headers for allowed origins. Returns the response to a preflight request, which
 * browsers send without credentials and which does not count against the rate limit.
 */
function allowOrigin(http: Http, { request, facts, headers }: IncomingRequest): Response | null {
  const allowed = corsHeaders(http, request)
  if (!allowed) return null
  Object.assign(headers, allowed, CROSS_ORIGIN_RESOURCE)
  if (request.method !== 'OPTIONS' || request.headers.get('access-control-request-method') === null)
    return null
  return new Response(null, {
    status: 204,
    headers: {
      ...CONSTANT_HEADERS,
      ...allowed,
      ...(isPlatformPath(facts.path) ? {} : rateLimitHeaders(http.limiters, facts)),
      'x-request-id': facts.id,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, X-API-Key, X-Organization-ID, Idempotency-Key',
      'access-control-max-age': '600',
    },
  })
}
