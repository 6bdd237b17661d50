import type { AppError } from '../lib/errors'
import { safeUrl } from '../infra/log'
import { errorResponseOf } from './error-mapper'
import { recordResponse } from './hooks'
import { headersOf } from './response-headers'
import type { Http } from './http-deps'
import { patternOf } from './route-patterns'
import type { RequestFacts } from './request-facts'

/** The runtime's request handler. */
type Handle = (request: Request) => unknown

/**
 * Wraps the handler of every route: a request without a response in time gets 503 `took_too_long`.
 */
export const withRequestTimeout =
  (http: Http) =>
  (handle: Handle): Handle =>
  (request) => {
    const answer = handle(request)
    if (!(answer instanceof Promise)) return answer
    return http.deadlines.within<unknown>(request, answer, {
      late: (facts, error) => answerTimeout(http, { request, facts, error }),
      slow: ({ id, path }, bytes) =>
        http.log.info(
          { request_id: id, path: safeUrl(path), bytes },
          'client downloads too slowly; its connection is closed unless it speeds up',
        ),
    })
  }

/** Returns the response to a request whose route took too long. */
function answerTimeout(
  http: Http,
  { request, facts, error }: { request: Request; facts: RequestFacts; error: AppError },
): Response {
  const refusal = errorResponseOf(http, error, facts)
  const { method } = request
  const route = patternOf(http.patterns, { method, path: facts.path })
  http.log.warn(
    { request_id: facts.id, method, route: route ?? null, path: safeUrl(facts.path) },
    'request timed out; its work continues',
  )
  recordResponse(http, facts, { method, route, status: refusal.status })
  return Response.json(refusal.body, {
    status: refusal.status,
    headers: { ...headersOf(http, request, facts), ...refusal.headers },
  })
}
