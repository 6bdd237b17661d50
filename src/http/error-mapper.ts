import {
  Elysia,
  ElysiaCustomStatusResponse,
  NotFoundError as RouteNotFound,
  ParseError,
  ValidationError,
} from 'elysia'

import { AppError, fieldSentence } from '../lib/errors'
import { isStorageError } from '../infra/db/errors'
import { safeUrl } from '../infra/log'
import type { Http } from './http-deps'
import { BodyCutOffError } from './body'
import { fail, type Failure } from './envelope'
import { abandonIdempotentRequest } from './idempotency'
import { problemsOf, type SchemaProblem } from '../lib/validation-messages'
import { findRequestFacts, type RequestFacts } from './request-facts'

/** An error response: status, body and extra headers. */
export interface ErrorResponse {
  status: number
  body: Failure
  headers?: Record<string, string>
}

/**
 * Elysia plugin that maps every thrown error to its response. No other code maps errors to HTTP
 * statuses (spec 7).
 */
export const errorMapper = (http: Http) =>
  new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ error, set, request }) => {
    abandonIdempotentRequest(request, error)
    const answer = errorResponseOf(http, error, findRequestFacts(request))
    set.status = answer.status
    Object.assign(set.headers, answer.headers, { 'content-type': 'application/json;charset=utf-8' })
    return answer.body
  })

/** Whether an error or its cause reports an incomplete request body. */
const isCutOff = (error: unknown): boolean =>
  error instanceof BodyCutOffError ||
  (error instanceof ParseError && error.cause instanceof BodyCutOffError)

/**
 * Returns the response for an error. Logs unexpected errors with the request ID, which the response
 * repeats.
 */
export function errorResponseOf(
  http: Http,
  error: unknown,
  facts: RequestFacts | null,
): ErrorResponse {
  const answer = responseFor(error)
  if (facts) facts.code = answer.body.code
  if (facts?.isProxied && isCutOff(error)) http.proxies.recordBody(facts.declaredBytes, false)
  if (answer.status < 500) return answer
  // Storage failures are logged once elsewhere, not for every request.
  if (!(error instanceof AppError) && !isStorageError(error))
    http.log.error(
      { error, request_id: facts?.id, path: safeUrl(facts?.path ?? '') },
      'request failed',
    )
  if (answer.status === 500 && facts)
    answer.body.message = `Internal server error. Quote the request ID ${facts.id} when you report it.`
  return answer
}

/** Maps a thrown value to its response. Unexpected errors reveal nothing. */
function responseFor(error: unknown): ErrorResponse {
  if (error instanceof AppError)
    return { status: error.httpStatus, body: fail(error.message, error), headers: error.headers }
  if (error instanceof ParseError)
    return error.cause instanceof AppError || isStorageError(error.cause)
      ? responseFor(error.cause)
      : malformedJson()
  if (error instanceof ValidationError)
    return error.type === 'response' ? internalError() : invalidInput(error)
  if (error instanceof RouteNotFound)
    return {
      status: 404,
      body: fail('There is no endpoint with this method and path. See `/docs` for all endpoints.', {
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
  return internalError()
}

const malformedJson = (): ErrorResponse => ({
  status: 400,
  body: fail('The request body is not valid JSON.', { code: 'malformed_json' }),
})
const internalError = (): ErrorResponse => ({
  status: 500,
  body: fail('Internal server error.', { code: 'internal_error' }),
})

/** The part of a request that Elysia names in a validation error, and the API's name for it. */
const LOCATIONS: Record<string, string> = {
  body: 'body',
  query: 'query',
  params: 'path',
  headers: 'headers',
  property: 'query',
}

function invalidInput(error: ValidationError): ErrorResponse {
  const location = LOCATIONS[error.type] ?? error.type
  const errors = problemsOf(location, error.all as SchemaProblem[])
  const first = errors[0] ?? { path: location, message: 'is not valid' }
  return {
    status: 400,
    body: fail(fieldSentence(first.path, first.message), { code: 'invalid_input', errors }),
  }
}
