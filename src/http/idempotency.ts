import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ElysiaCustomStatusResponse } from 'elysia'

import { InvalidError } from '../lib/errors'
import { INSTALLATION, type Deps } from '../infra/ctx'
import type { KeyedRequest, StoredAnswer } from '../infra/idempotency/store'
import type { Http } from './http-deps'
import { findRequestFacts, requestFacts } from './request-facts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The parts of Elysia's context that identify a repeated request. */
export interface IdempotentRequestContext {
  request: Request
  /** The route's pattern. */
  route: string
  /** The validated body. */
  body: unknown
}

/** The dependencies to run a request with, or the stored response of an earlier run. */
type IdempotentStart = { deps: Deps } | { answer: StoredAnswer }

/**
 * Checks the `Idempotency-Key` of a request to a creating route (conventions: Idempotency). The
 * first request runs with a database whose commits store the key. A repetition gets the stored
 * response if its caller may still see it. Throws InvalidError, ConflictError and NotFoundError.
 */
export function beginIdempotentRequest(
  http: Http,
  { request, route, body }: IdempotentRequestContext,
): IdempotentStart {
  const key = request.method === 'POST' ? request.headers.get('idempotency-key') : null
  const schema = key === null ? undefined : http.creatingRoutes.get(route)
  if (key === null || !schema) return { deps: http }
  if (!KEY.test(key)) {
    const message = 'must be 1 to 255 visible characters'
    throw new InvalidError(`Idempotency-Key ${message}.`, {
      code: 'invalid_input',
      errors: [{ path: 'headers.idempotency-key', message }],
    })
  }
  const facts = requestFacts(request)
  const { actor } = facts
  const keyed: KeyedRequest = {
    organizationId: actor?.organizationId ?? INSTALLATION,
    caller: actor ? `${actor.type}:${actor.apiKeyId ?? actor.userId}` : `address:${facts.address}`,
    route: `${request.method} ${facts.path}`,
    key,
    body,
    isMasked: actor !== null && http.replays.masksNumbers(actor),
    answerOf: (value) => cleanedBy(schema, value),
  }
  const started = http.idempotency.begin(keyed)
  if (!('db' in started)) {
    if (actor) http.replays.requireVisible(actor, { route: keyed.route, answer: started })
    return { answer: started }
  }
  facts.attempt = started
  return { deps: { ...http, db: started.db } }
}

/** Stores the response of the first request with a key. */
export function storeResponse(
  request: Request,
  value: unknown,
  headers: Record<string, unknown>,
): void {
  const facts = findRequestFacts(request)
  if (!facts?.attempt) return
  const { attempt } = facts
  facts.attempt = null
  const [status, body] =
    value instanceof ElysiaCustomStatusResponse
      ? [Number(value.code), value.response as unknown]
      : [200, value]
  const cookie = headers['set-cookie']
  attempt.answered({
    status,
    cookie: Array.isArray(cookie) ? (cookie as string[]) : null, // as `sign-in-cookies.ts` sets it
    data: (body as { data: unknown }).data,
  }) // every creating route returns the envelope
}

/** Records that the first request with a key failed. */
export function abandonIdempotentRequest(request: Request, error: unknown): void {
  const facts = findRequestFacts(request)
  if (!facts?.attempt) return
  const { attempt } = facts
  facts.attempt = null
  attempt.failed(error)
}

/**
 * Returns the fields of a value that the route's schema names, as Elysia sends them; `null` if the
 * value does not match the schema.
 */
function cleanedBy(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  const copy = Value.Clean(schema, structuredClone(value))
  return Value.Check(schema, copy) ? copy : null
}

/**
 * Returns the routes that accept an `Idempotency-Key` (POST with a 201 response), each with the
 * schema of its `data`.
 */
export const creatingRoutesOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): [path: string, schema: TSchema][] =>
  routes.flatMap(({ method, path, hooks }) => {
    const schema = method === 'POST' ? schemaOf(hooks) : undefined
    return schema ? [[path, schema]] : []
  })

/** The schema of `data` in the 201 response of a route. */
function schemaOf(hooks: unknown): TSchema | undefined {
  const { response } = hooks as { response?: Record<string, { properties?: { data?: TSchema } }> }
  return response?.['201']?.properties?.data
}
