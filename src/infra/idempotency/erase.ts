import { and, eq, sql } from 'drizzle-orm'
import type { Deps } from '../ctx'
import type { Tx } from '../db/transact'
import { idempotencyKeys } from './table'
import { type StoredAnswer, type Row, encryptionContextOf, isKey, type KeptAnswer } from './store'

/** A position among an organization's stored responses. */
export type ResponsePosition = Pick<Row, 'caller' | 'keyHash' | 'route'>

const FIRST_POSITION: ResponsePosition = { caller: '', keyHash: '', route: '' }

/** Responses read between two checks of the time limit. */
const PAGE_SIZE = 10

/**
 * Erases the responses that `isMeant` selects, in the caller's transaction, starting after `after`
 * and until `isOver` returns true. The keys stay, so a repetition does nothing and gets
 * `idempotency_interrupted`. Returns the number erased and the position to continue from, or `null`
 * at the end.
 */
export function eraseResponsesIn(
  tx: Tx,
  deps: Pick<Deps, 'vault'> & { organizationId: string },
  {
    after,
    isMeant,
    isOver,
  }: {
    after: ResponsePosition | null
    isMeant: (answer: KeptAnswer) => boolean
    isOver: () => boolean
  },
): { erased: number; next: ResponsePosition | null } {
  const { organizationId, caller, keyHash, route } = idempotencyKeys
  let erased = 0
  let place = after ?? FIRST_POSITION
  do {
    const beyond = sql`(${caller}, ${keyHash}, ${route}) > (${place.caller}, ${place.keyHash}, ${place.route})`
    const rows = tx
      .select()
      .from(idempotencyKeys)
      .where(and(eq(organizationId, deps.organizationId), beyond))
      .orderBy(caller, keyHash, route)
      .limit(PAGE_SIZE)
      .all()
    for (const row of rows) {
      if (row.answerSealed === null || !deps.vault.knows(row.answerSealed)) continue
      const { data } = JSON.parse(
        deps.vault.open(row.answerSealed, encryptionContextOf(row)),
      ) as Pick<StoredAnswer, 'data'>
      if (!isMeant({ route: row.route, data })) continue
      tx.update(idempotencyKeys).set({ status: null, answerSealed: null }).where(isKey(row)).run()
      erased += 1
    }
    const last = rows.at(-1)
    if (!last) return { erased, next: null }
    place = { caller: last.caller, keyHash: last.keyHash, route: last.route }
  } while (!isOver())
  return { erased, next: place }
}
