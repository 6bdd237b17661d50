import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ElysiaCustomStatusResponse } from 'elysia'

import { InvalidError } from '../lib/errors'
import { INSTALLATION, type Deps } from '../infra/ctx'
import type { KeyedRequest, StoredAnswer } from '../infra/idempotency/store'
import type { Http } from './http-deps'
import { findRequestFacts, requestFacts } from './request-facts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** What is needed of Elysia's context to know a request again. */
export interface IdempotentRequestContext {
  request: Request
  /** The route's pattern. */
  route: string
  /** The validated body. */
  body: unknown
}

/**
 * A request that may go on with these parts of the program, or the answer that was given before.
 */
type Turn = { deps: Deps } | { answer: StoredAnswer }

/**
 * Looks at the `Idempotency-Key` of a request to a creating route (conventions: Idempotency): the
 * first one works with a database whose commits carry the key along, a repetition gets the first
 * answer if its caller may still see it. Throws InvalidError, ConflictError and NotFoundError.
 */
export function beginIdempotentRequest(
  http: Http,
  { request, route, body }: IdempotentRequestContext,
): Turn {
  const key = request.method === 'POST' ? request.headers.get('idempotency-key') : null
  const shape = key === null ? undefined : http.creatingRoutes.get(route)
  if (key === null || !shape) return { deps: http }
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
    answerOf: (value) => answerIn(shape, value),
  }
  const turn = http.idempotency.begin(keyed)
  if (!('db' in turn)) {
    if (actor) http.replays.judge(actor, { route: keyed.route, answer: turn })
    return { answer: turn }
  }
  facts.attempt = turn
  return { deps: { ...http, db: turn.db } }
}

/** Keeps the answer of a first request that carried a key. */
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
    cookie: typeof cookie === 'string' ? cookie : null,
    data: (body as { data: unknown }).data,
  }) // every creating route answers in the envelope
}

/** Tells the attempt of a request that carried a key that it failed. */
export function abandonIdempotentRequest(request: Request, error: unknown): void {
  const facts = findRequestFacts(request)
  if (!facts?.attempt) return
  const { attempt } = facts
  facts.attempt = null
  attempt.failed(error)
}

/**
 * The part of a value that the route's schema names, as Elysia sends it; `null` when the value does
 * not fit the schema.
 */
function answerIn(shape: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  const copy = Value.Clean(shape, structuredClone(value))
  return Value.Check(shape, copy) ? copy : null
}

/**
 * The routes that answer 201 to a POST, which take an `Idempotency-Key`: pattern, and schema of
 * what they answer.
 */
export const creatingRoutesOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): [path: string, shape: TSchema][] =>
  routes.flatMap(({ method, path, hooks }) => {
    const shape = method === 'POST' ? shapeOf(hooks) : undefined
    return shape ? [[path, shape]] : []
  })

/** The schema of `data` in a route's answer 201. */
function shapeOf(hooks: unknown): TSchema | undefined {
  const { response } = hooks as { response?: Record<string, { properties?: { data?: TSchema } }> }
  return response?.['201']?.properties?.data
}
