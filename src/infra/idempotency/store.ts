import { and, eq, gte, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { AppError, ConflictError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import type { Deps } from '../ctx'
import { emptyGroups, type Db } from '../db/connection'
import { transact, type Tx } from '../db/transact'
import { idempotencyKeys } from './table'

/** How long a first answer is kept. */
const KEPT_MS = DAY_MS

const CREATED = 201

/** A request as its key makes it one: who asks, where, with which key and body. */
export interface KeyedRequest {
  organizationId: string
  /** User, API key, or address of a stranger. */
  caller: string
  /** Method and path. */
  route: string
  key: string
  /** The validated body. */
  body: unknown
  /** Whether phone numbers are masked for the caller. */
  isMasked: boolean
  /**
   * What of a value may be answered on this route; `null` when it is no answer of it. Nothing else
   * is ever stored as one.
   */
  answerOf: (value: unknown) => unknown
}

/** What a request is answered with. */
interface Answered {
  status: number
  data: unknown
  /** A cookie that goes with it; `null` for none. */
  cookie: string | null
}

/** The answer to the first request of a key. */
export interface StoredAnswer extends Answered {
  /** Whether phone numbers were masked for the caller then. */
  isMasked: boolean
}

/** The first run of a keyed request. */
export interface Attempt {
  /**
   * The database the request is to work with: each of its commits carries the key along, so that no
   * effect is without its key.
   */
  db: Db
  /** The request was answered. */
  answered(answer: Answered): void
  /**
   * The request failed: a refusal frees the key, after a fault the key stays with what was
   * committed.
   */
  failed(error: unknown): void
}

/** Keeps the promise that a creating request with a key takes effect at most once. */
export interface Idempotency {
  /**
   * The first answer, or the right to run. Throws ConflictError `idempotency_mismatch`,
   * `idempotency_in_progress` or `idempotency_interrupted`.
   */
  begin(request: KeyedRequest): StoredAnswer | Attempt
}

type Row = typeof idempotencyKeys.$inferSelect
type Place = Pick<Row, 'organizationId' | 'caller' | 'keyHash' | 'route'>

/**
 * The first runs under way are known in memory, for there is one process; what is stored is written
 * in the transaction of the effect itself, together with what that transaction came to, which by
 * rule is the answer; what does not look like one is not kept. A process that dies has therefore
 * either done nothing, and the key is free, or done everything, and the answer is there.
 */
export function createIdempotency(deps: Pick<Deps, 'db' | 'clock' | 'vault'>): Idempotency {
  const running = new Map<string, string>()
  return {
    begin(request) {
      const place: Place = {
        organizationId: request.organizationId,
        caller: request.caller,
        route: request.route,
        keyHash: sha256Hex(request.key),
      }
      const name = nameOf(place)
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
        .where(at(place, gte(idempotencyKeys.createdAtMs, oldestMs(deps))))
        .get()
      if (stored) return replay(deps, stored, body)
      running.set(name, body)
      const { answerOf, isMasked } = request
      return attempt(deps, { place, body, answerOf, isMasked, release: () => running.delete(name) })
    },
  }
}

const oldestMs = (deps: Pick<Deps, 'clock'>): number => deps.clock.nowMs() - KEPT_MS

/** The place to which a kept answer is bound. */
export const nameOf = (place: Place): string =>
  JSON.stringify([place.organizationId, place.caller, place.route, place.keyHash])

const at = (place: Place, more?: SQL): SQL | undefined =>
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
  if (!deps.vault.codeDigests(body).includes(row.bodyHash)) throw mismatch()
  if (row.answerSealed === null || row.status === null || !deps.vault.knows(row.answerSealed))
    throw new ConflictError(
      'The first request with this `Idempotency-Key` succeeded, but its response was lost. ' +
        'Check what it created before you retry with a new key.',
      { code: 'idempotency_interrupted' },
    )
  const { data, cookie, isMasked } = JSON.parse(
    deps.vault.open(row.answerSealed, nameOf(row)),
  ) as Omit<StoredAnswer, 'status'>
  return { status: row.status, data, cookie, isMasked }
}

/** What transactions of one attempt have committed of it: nothing yet, or their last outcome. */
interface Committed {
  outcome: unknown
}

function attempt(
  deps: Pick<Deps, 'db' | 'clock' | 'vault'>,
  of: { place: Place; body: string; release: () => void } & Pick<
    KeyedRequest,
    'answerOf' | 'isMasked'
  >,
): Attempt {
  const { place, body, answerOf, isMasked, release } = of
  const startedAtMs = deps.clock.nowMs()
  const [bodyHash = ''] = deps.vault.codeDigests(body)
  let committed: Committed | null = null
  const storeIn = (tx: Tx, { status, data, cookie }: Answered): void => {
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
              nameOf(place),
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
      // A group with others would commit without the key.
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
          tx.delete(idempotencyKeys).where(at(place)).run()
        })
      release()
    },
  }
}

/**
 * JSON with the fields of every object in order, so that two spellings of one body are the same
 * body.
 */
const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** A stored response, as a search for responses about a person sees it. */
interface KeptAnswer {
  /** Method and path. */
  route: string
  data: unknown
}

/** Where in an organization's answers one stands. */
export type AnswerPlace = Pick<Row, 'caller' | 'keyHash' | 'route'>

const BEFORE_ALL: AnswerPlace = { caller: '', keyHash: '', route: '' }

/** Answers looked at between two looks at the clock. */
const LOOKED_AT = 10

/**
 * Forgets the answers of an organization that are meant, in the caller's transaction, from those
 * after `after` on and until the time is over. Their keys stay, so that a repetition does nothing
 * anew and hears that the answer is lost. Returns how many went and where to go on, `null` at the
 * end.
 */
export function eraseResponsesIn(
  tx: Tx,
  deps: Pick<Deps, 'vault'> & { organizationId: string },
  {
    after,
    isMeant,
    isOver,
  }: { after: AnswerPlace | null; isMeant: (answer: KeptAnswer) => boolean; isOver: () => boolean },
): { forgotten: number; next: AnswerPlace | null } {
  const { organizationId, caller, keyHash, route } = idempotencyKeys
  let forgotten = 0
  let place = after ?? BEFORE_ALL
  do {
    const beyond = sql`(${caller}, ${keyHash}, ${route}) > (${place.caller}, ${place.keyHash}, ${place.route})`
    const rows = tx
      .select()
      .from(idempotencyKeys)
      .where(and(eq(organizationId, deps.organizationId), beyond))
      .orderBy(caller, keyHash, route)
      .limit(LOOKED_AT)
      .all()
    for (const row of rows) {
      if (row.answerSealed === null || !deps.vault.knows(row.answerSealed)) continue
      const { data } = JSON.parse(deps.vault.open(row.answerSealed, nameOf(row))) as Pick<
        StoredAnswer,
        'data'
      >
      if (!isMeant({ route: row.route, data })) continue
      tx.update(idempotencyKeys).set({ status: null, answerSealed: null }).where(at(row)).run()
      forgotten += 1
    }
    const last = rows.at(-1)
    if (!last) return { forgotten, next: null }
    place = { caller: last.caller, keyHash: last.keyHash, route: last.route }
  } while (!isOver())
  return { forgotten, next: place }
}

const PRUNE_BATCH = 1_000

/** Deletes a batch of answers older than a day. Returns how many went. */
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
