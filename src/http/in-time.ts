import type { AppError } from '../lib/errors'
import { refusalOf } from './errors'
import { headersOf, noteAnswer } from './hooks'
import type { Http } from './http'
import type { RequestFacts } from './requests'

/** What the runtime calls with a request. */
type Handle = (request: Request) => unknown

/** Wraps the handler of every route: a request that is not answered in time is refused with 503 `took_too_long`, whatever its route waits for. */
export const inTime =
  (http: Http) =>
  (handle: Handle): Handle =>
  (request) => {
    const answer = handle(request)
    if (!(answer instanceof Promise)) return answer
    return http.deadlines.within<unknown>(request, answer, (facts, error) => answerLate(http, { request, facts, error }))
  }

/** The answer to a request whose route took too long; it has no pattern, for only the route itself knows it. */
function answerLate(http: Http, { request, facts, error }: { request: Request; facts: RequestFacts; error: AppError }): Response {
  const refusal = refusalOf(http, error, facts)
  http.log.warn({ request_id: facts.id, path: facts.path }, 'a request took too long; what it does goes on')
  noteAnswer(http, facts, { method: request.method, route: undefined, status: refusal.status })
  return Response.json(refusal.body, { status: refusal.status, headers: { ...headersOf(http, request, facts), ...refusal.headers } })
}
