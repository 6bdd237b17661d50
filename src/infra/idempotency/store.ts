import { and, eq, gte, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { AppError, ConflictError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import type { Deps } from '../ctx'
import { emptyGroups, type Db } from '../db/connection'
import { transact, type Tx } from '../db/transact'
import { idempotencyKeys } from './table'

/** How long a response is stored. */
const KEPT_MS = DAY_MS

const CREATED = 201

/** A request with an idempotency key: caller, route, key and body. */
export interface KeyedRequest {
  organizationId: string
  /** User, API key, or the client address of an anonymous caller. */
  caller: string
  /** Method and path. */
  route: string
  key: string
  /** The validated body. */
  body: unknown
  /** Whether phone numbers are masked for the caller. */
  isMasked: boolean
  /**
   * Returns the part of a value that the route may respond with; `null` if it is no response of the
   * route. Nothing else is ever stored.
   */
  answerOf: (value: unknown) => unknown
}

/** The response to a request. */
interface ResponseData {
  status: number
  data: unknown
  /** The `Set-Cookie` values of the response, or `null`. */
  cookie: string[] | null
}

/** The stored response to the first request with a key. */
export interface StoredAnswer extends ResponseData {
  /** Whether phone numbers were masked for the caller at that time. */
  isMasked: boolean
}

/** The first run of a request with a key. */
export interface Attempt {
  /**
   * The database for the request. Each of its commits also stores the key, so no effect is
   * committed without it.
   */
  db: Db
  /** Call when the request succeeded. */
  answered(answer: ResponseData): void
  /**
   * Call when the request failed. A client error frees the key; after a server error the key stays
   * with what was committed.
   */
  failed(error: unknown): void
}

/** Ensures that a creating request with a key takes effect at most once. */
export interface Idempotency {
  /**
   * Returns the stored response, or an attempt that may run. Throws ConflictError
   * `idempotency_mismatch`, `idempotency_in_progress` or `idempotency_interrupted`.
   */
  begin(request: KeyedRequest): StoredAnswer | Attempt
}

export type Row = typeof idempotencyKeys.$inferSelect
type KeyColumns = Pick<Row, 'organizationId' | 'caller' | 'keyHash' | 'route'>

/**
 * Creates the idempotency store. Running requests are tracked in memory, because there is only one
 * process. The key is written in the transaction of the effect, together with the transaction's
 * result, which is the response by convention; a result that does not match the response schema is
 * not stored. So if the process dies, either nothing was done and the key is free, or everything
 * was done and the response is stored.
 */
export function createIdempotency(deps: Pick<Deps, 'db' | 'clock' | 'vault'>): Idempotency {
  const running = new Map<string, string>()
  return {
    begin(request) {
      const place: KeyColumns = {
        organizationId: request.organizationId,
        caller: request.caller,
        route: request.route,
        keyHash: sha256Hex(request.key),
      }
      const name = encryptionContextOf(place)
      const body = canonical(request.body)
      const bodyOfRunning = running.get(name)
      if (bodyOfRunning !== undefined) {
        if (bodyOfRunning !== body) throw mismatch()
        throw new ConflictError(
          'A request with this `Idempotency-Key` is still in progress. Retry in a moment.',
          {
            code: 'idempotency_in_progress',
          },
        )
      }
      const stored = deps.db.orm
        .select()
        .from(idempotencyKeys)
        .where(isKey(place, gte(idempotencyKeys.createdAtMs, oldestMs(deps))))
        .get()
      if (stored) return replay(deps, stored, body)
      running.set(name, body)
      const { answerOf, isMasked } = request
      return attempt(deps, { place, body, answerOf, isMasked, release: () => running.delete(name) })
    },
  }
}

const oldestMs = (deps: Pick<Deps, 'clock'>): number => deps.clock.nowMs() - KEPT_MS

/** The name that binds a stored response to its row when it is encrypted. */
export const encryptionContextOf = (place: KeyColumns): string =>
  JSON.stringify([place.organizationId, place.caller, place.route, place.keyHash])

/** Returns the condition that selects a key, and more conditions. */
export const isKey = (place: KeyColumns, more?: SQL): SQL | undefined =>
  and(
    eq(idempotencyKeys.organizationId, place.organizationId),
    eq(idempotencyKeys.caller, place.caller),
    eq(idempotencyKeys.keyHash, place.keyHash),
    eq(idempotencyKeys.route, place.route),
    more,
  )

const mismatch = (): ConflictError =>
  new ConflictError(
    'This `Idempotency-Key` was already used with a different request body. Use a new key.',
    { code: 'idempotency_mismatch' },
  )

function replay(deps: Pick<Deps, 'vault'>, row: Row, body: string): StoredAnswer {
  // The digest of a key that moved here from another cell stayed behind.
  if (row.bodyHash !== '' && !deps.vault.codeDigests(body).includes(row.bodyHash)) throw mismatch()
  if (row.answerSealed === null || row.status === null || !deps.vault.knows(row.answerSealed))
    throw new ConflictError(
      'The first request with this `Idempotency-Key` succeeded, but its response was lost. ' +
        'Check what it created before you retry with a new key.',
      { code: 'idempotency_interrupted' },
    )
  const { data, cookie, isMasked } = JSON.parse(
    deps.vault.open(row.answerSealed, encryptionContextOf(row)),
  ) as Omit<StoredAnswer, 'status'>
  return { status: row.status, data, cookie, isMasked }
}

/** The result of the last transaction an attempt has committed. */
interface Committed {
  outcome: unknown
}

function attempt(
  deps: Pick<Deps, 'db' | 'clock' | 'vault'>,
  of: { place: KeyColumns; body: string; release: () => void } & Pick<
    KeyedRequest,
    'answerOf' | 'isMasked'
  >,
): Attempt {
  const { place, body, answerOf, isMasked, release } = of
  const startedAtMs = deps.clock.nowMs()
  const [bodyHash = ''] = deps.vault.codeDigests(body)
  let committed: Committed | null = null
  const storeIn = (tx: Tx, { status, data, cookie }: ResponseData): void => {
    const answer = answerOf(data)
    const set = {
      bodyHash,
      createdAtMs: startedAtMs,
      ...(answer === null
        ? { status: null, answerSealed: null }
        : {
            status,
            answerSealed: deps.vault.seal(
              JSON.stringify({ data: answer, cookie, isMasked }),
              encryptionContextOf(place),
            ),
          }),
    }
    tx.insert(idempotencyKeys)
      .values({ ...place, ...set })
      .onConflictDoUpdate({
        target: [
          idempotencyKeys.organizationId,
          idempotencyKeys.caller,
          idempotencyKeys.keyHash,
          idempotencyKeys.route,
        ],
        set,
      })
      .run()
  }
  return {
    db: {
      ...deps.db,
      // A transaction shared with other requests would commit without the key.
      groups: emptyGroups(),
      beforeCommit(tx, outcome) {
        storeIn(tx, { status: CREATED, data: outcome, cookie: null })
        committed = { outcome }
      },
      afterCommit: () => deps.db.afterCommit(),
    },
    answered(answer) {
      const { status, data, cookie } = answer
      if (committed?.outcome !== data || status !== CREATED || cookie !== null)
        transact(deps.db, (tx) => storeIn(tx, answer))
      release()
    },
    failed(error) {
      if (committed !== null && error instanceof AppError && error.httpStatus < 500)
        transact(deps.db, (tx) => {
          tx.delete(idempotencyKeys).where(isKey(place)).run()
        })
      release()
    },
  }
}

/** Returns JSON with sorted object keys, so that equal bodies compare equal. */
const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** A stored response, as the search for responses about a person receives it. */
export interface KeptAnswer {
  /** Method and path. */
  route: string
  data: unknown
}

const PRUNE_BATCH = 1_000

/** Deletes a batch of keys older than a day. Returns how many. */
export function pruneIdempotencyKeys(deps: Deps): number {
  return transact(
    deps.db,
    (tx) =>
      tx
        .delete(idempotencyKeys)
        .where(
          sql`rowid in (select rowid from idempotency_keys where created_at_ms < ${oldestMs(deps)} limit ${PRUNE_BATCH})`,
        )
        .returning({ route: idempotencyKeys.route })
        .all().length,
  )
}
