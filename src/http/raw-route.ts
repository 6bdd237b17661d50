import type { Http } from './http-deps'
import { errorResponseOf } from './error-mapper'
import { arrivalOf, isHost, recordResponse, constantHeaders } from './hooks'
import { rememberRequest, type Line } from './request-facts'

/** A POST route whose every good request gets the same answer, as JSON. */
export interface DirectRoute {
  path: string
  answer: object
  /** Does what is asked. What it throws is answered as everywhere. */
  work: (request: Request) => Promise<void>
}

const JSON_TYPE = 'application/json;charset=utf-8'

/**
 * The handler of a route that is called thousands of times a second: what hooks and error mapper do
 * for every request is done here without the framework, which costs more than the work itself.
 * Answers, log line and metrics are the same (`tests/http/direct.test.ts`). What is out of the
 * ordinary, a request of a page of another origin or with an odd `Host`, goes the way of all others
 * (`otherwise`).
 */
export function answerDirectly(
  http: Http,
  route: DirectRoute,
  otherwise: (request: Request) => Response | Promise<Response>,
): (request: Request, line: Line) => Promise<Response> {
  const text = JSON.stringify(route.answer)
  const headers = new Headers({
    ...constantHeaders(http.settings.baseUrl),
    'cache-control': 'no-store',
    'content-type': JSON_TYPE,
  })
  const answer = (
    id: string,
    status: number,
    body: string,
    more: Record<string, string> = {},
  ): Response => {
    const mine = new Headers(headers)
    mine.set('x-request-id', id)
    for (const [name, value] of Object.entries(more)) mine.set(name, value)
    return new Response(body, { status, headers: mine })
  }
  return async (request, line) => {
    if (request.headers.get('origin') !== null || !isHost(request.headers.get('host')))
      return otherwise(request)
    const facts = rememberRequest(request, arrivalOf(http, { request, path: route.path, line }))
    let status = 200
    try {
      await route.work(request)
      return answer(facts.id, status, text)
    } catch (error) {
      const refusal = errorResponseOf(http, error, facts)
      status = refusal.status
      return answer(facts.id, status, JSON.stringify(refusal.body), refusal.headers)
    } finally {
      recordResponse(http, facts, { method: request.method, route: route.path, status })
    }
  }
}
