import {
  Elysia,
  ElysiaCustomStatusResponse,
  NotFoundError as RouteNotFound,
  ParseError,
  ValidationError,
} from 'elysia'

import { AppError, fieldSentence } from '../lib/errors'
import { isStorageError } from '../infra/db/errors'
import type { Http } from './http-deps'
import { BodyCutOffError } from './body'
import { fail, type Failure } from './envelope'
import { abandonIdempotentRequest } from './idempotency'
import { problemsOf, type SchemaProblem } from './validation-messages'
import { findRequestFacts, type RequestFacts } from './request-facts'

/** A refusal as it goes out. */
export interface ErrorResponse {
  status: number
  body: Failure
  headers?: Record<string, string>
}

const SHOWN_PROBLEMS = 20

/**
 * Turns whatever was thrown into the answer the client gets: the one place that knows statuses of
 * errors (spec 7).
 */
export const errorMapper = (http: Http) =>
  new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ error, set, request }) => {
    abandonIdempotentRequest(request, error)
    const answer = errorResponseOf(http, error, findRequestFacts(request))
    set.status = answer.status
    Object.assign(set.headers, answer.headers, { 'content-type': 'application/json;charset=utf-8' })
    return answer.body
  })

/** Whether an error, or the one behind it, says that a body was cut off. */
const isCutOff = (error: unknown): boolean =>
  error instanceof BodyCutOffError ||
  (error instanceof ParseError && error.cause instanceof BodyCutOffError)

/**
 * The answer to a request that threw; what nobody expected is logged with the request's id, which
 * the answer names.
 */
export function errorResponseOf(
  http: Http,
  error: unknown,
  facts: RequestFacts | null,
): ErrorResponse {
  const answer = answerTo(error)
  if (facts) facts.code = answer.body.code
  if (facts?.isProxied && isCutOff(error)) http.proxies.noteBody(facts.declaredBytes, false)
  if (answer.status < 500) return answer
  // That nothing can be stored is said once, not by every request.
  if (!(error instanceof AppError) && !isStorageError(error))
    http.log.error({ error, request_id: facts?.id, path: facts?.path }, 'request failed')
  if (answer.status === 500 && facts)
    answer.body.message = `Internal server error. Quote the request ID ${facts.id} when you report it.`
  return answer
}

/** What a thrown value means to the client. Nothing of an unexpected error is told. */
function answerTo(error: unknown): ErrorResponse {
  if (error instanceof AppError)
    return { status: error.httpStatus, body: fail(error.message, error), headers: error.headers }
  if (error instanceof ParseError)
    return error.cause instanceof AppError || isStorageError(error.cause)
      ? answerTo(error.cause)
      : badBody()
  if (error instanceof ValidationError) return error.type === 'response' ? bug() : invalid(error)
  if (error instanceof RouteNotFound)
    return {
      status: 404,
      body: fail('This path does not exist. See `/docs` for all endpoints.', {
        code: 'route_not_found',
      }),
    }
  if (error instanceof ElysiaCustomStatusResponse)
    return {
      status: Number(error.code),
      body: fail(String(error.response), { code: `status_${error.code}` }),
    }
  if (isStorageError(error))
    return {
      status: 503,
      body: fail('The server cannot store data right now. Try again in a few seconds.', {
        code: 'storage_unavailable',
      }),
      headers: { 'retry-after': '5' },
    }
  return bug()
}

const badBody = (): ErrorResponse => ({
  status: 400,
  body: fail('The request body is not valid JSON.', { code: 'malformed_json' }),
})
const bug = (): ErrorResponse => ({
  status: 500,
  body: fail('Internal server error.', { code: 'internal_error' }),
})

/** Where Elysia says a problem lies, and the word the API uses for that part of a request. */
const PARTS: Record<string, string> = {
  body: 'body',
  query: 'query',
  params: 'path',
  headers: 'headers',
  property: 'query',
}

function invalid(error: ValidationError): ErrorResponse {
  const part = PARTS[error.type] ?? error.type
  const errors = problemsOf(part, error.all as unknown as SchemaProblem[]).slice(0, SHOWN_PROBLEMS)
  const first = errors[0] ?? { path: part, message: 'is not valid' }
  return {
    status: 400,
    body: fail(fieldSentence(first.path, first.message), { code: 'invalid_input', errors }),
  }
}
