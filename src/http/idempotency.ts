import { ElysiaCustomStatusResponse } from 'elysia'

import { InvalidError } from '../lib/errors'
import { INSTALLATION, type Deps } from '../infra/ctx'
import type { StoredAnswer } from '../infra/idempotency/idempotency'
import type { Http } from './http'
import { findRequestFacts, requestFacts } from './requests'

const KEY = /^[\x21-\x7e]{1,255}$/

/** What is needed of Elysia's context to know a request again. */
export interface Asked {
  request: Request
  /** The route's pattern. */
  route: string
  /** The validated body. */
  body: unknown
}

/** A request that may go on with these parts of the program, or the answer that was given before. */
type Turn = { deps: Deps } | { answer: StoredAnswer }

/**
 * Looks at the `Idempotency-Key` of a request to a creating route (conventions: Idempotency): the first one works with a database
 * whose commits carry the key along, a repetition gets the first answer. Throws InvalidError and ConflictError.
 */
export function takeTurn(http: Http, { request, route, body }: Asked): Turn {
  const key = request.method === 'POST' ? request.headers.get('idempotency-key') : null
  if (key === null || !http.creatingRoutes.has(route)) return { deps: http }
  if (!KEY.test(key)) {
    const message = 'must have 1 to 255 visible characters'
    throw new InvalidError(`Idempotency-Key ${message}.`, { code: 'invalid_input', errors: [{ path: 'headers.idempotency-key', message }] })
  }
  const facts = requestFacts(request)
  const { actor } = facts
  const turn = http.idempotency.begin({
    organizationId: actor?.organizationId ?? INSTALLATION,
    caller: actor ? `${actor.type}:${actor.apiKeyId ?? actor.userId}` : `address:${facts.address}`,
    route: `${request.method} ${facts.path}`,
    key,
    body,
  })
  if (!('db' in turn)) return { answer: turn }
  facts.attempt = turn
  return { deps: { ...http, db: turn.db } }
}

/** Keeps the answer of a first request that carried a key. */
export function keepAnswer(request: Request, value: unknown): void {
  const facts = findRequestFacts(request)
  if (!facts?.attempt) return
  const { attempt } = facts
  facts.attempt = null
  const [status, body] = value instanceof ElysiaCustomStatusResponse ? [Number(value.code), value.response as unknown] : [200, value]
  attempt.answered({ status, data: (body as { data: unknown }).data }) // every creating route answers in the envelope
}

/** Tells the attempt of a request that carried a key that it failed. */
export function giveUpAttempt(request: Request, error: unknown): void {
  const facts = findRequestFacts(request)
  if (!facts?.attempt) return
  const { attempt } = facts
  facts.attempt = null
  attempt.failed(error)
}

/** The patterns of the routes that answer 201 to a POST: those that take an `Idempotency-Key`. */
export const creatingRoutesOf = (routes: { method: string; path: string; hooks: unknown }[]): string[] =>
  routes.filter(({ method, hooks }) => method === 'POST' && creates(hooks)).map(({ path }) => path)

const creates = (hooks: unknown): boolean => {
  const responses = (hooks as { response?: unknown } | undefined)?.response
  return typeof responses === 'object' && responses !== null && '201' in responses
}
