import type { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'

import { and, desc, eq, isNull, ne } from 'drizzle-orm'

import {
  createSealer,
  createVault,
  deriveKey,
  keyIdOf,
  type RootKeys,
  type Sealer,
  type Vault,
} from '../../lib/secret'
import type { Deps } from '../ctx'
import { transact, type Tx } from '../db/transact'
import { relayState } from '../outbox/table'
import { sealedColumns } from './sealed-columns'
import { digestKeys, rootKeys } from './table'

/**
 * Stored secrets cannot be decrypted with the configured keys; the message is one sentence for the
 * operator.
 */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

/** Says which key is there and which one is needed, by the IDs that recovery sheets name. */
const wrongKey = (vault: Sealer, needed: string): string =>
  `The secret key, with the ID ${vault.currentKeyId}, is not the key this database was encrypted ` +
  `with, which has the ID ${needed}. Write the right one, as on its recovery sheet, into the file ` +
  'secret.key, or set SECRET_KEY; after a change of the key, set SECRET_KEY_PREVIOUS to the former ' +
  'one. If it is lost, "switchboard restore" with --discard-secrets keeps everything else.'

/** Throws WrongKeyError if a digest key cannot be decrypted. */
function requireKnown(sealer: Sealer, digests: { sealed: string }[]): void {
  const foreign = digests.find(({ sealed }) => !sealer.knows(sealed))
  if (foreign) throw new WrongKeyError(wrongKey(sealer, keyIdOf(foreign.sealed)))
}

const PLACE = 'digest_keys'
const DIGEST_KEY_BYTES = 32

/**
 * Opens the keys of this database with the root keys. Creates the digest key if there is none.
 * Throws WrongKeyError.
 */
export function openVault(deps: Pick<Deps, 'db' | 'clock'>, roots: RootKeys): Vault {
  const sealer = createSealer(roots)
  const stored = storedDigestKeys(deps, sealer)
  const keys =
    stored.length > 0
      ? stored
      : transact(deps.db, (tx) => makeDigestKeysIn(tx, deps, { roots, sealer }))
  return createVault(sealer, keys)
}

function storedDigestKeys({ db }: Pick<Deps, 'db'>, sealer: Sealer): Buffer[] {
  const rows = db.orm
    .select({ sealed: digestKeys.sealed })
    .from(digestKeys)
    .orderBy(desc(digestKeys.id))
    .all()
  requireKnown(sealer, rows)
  return rows.map(({ sealed }) => Buffer.from(sealer.open(sealed, PLACE), 'base64'))
}

/**
 * Whether a program has used the database before. Then its secrets are encrypted with an existing
 * key.
 */
export const hasServed = (db: Pick<Tx, 'select'>): boolean =>
  db.select({ id: relayState.id }).from(relayState).limit(1).get() !== undefined

/**
 * Creates a random digest key. In a database of an earlier version it also stores the digest keys
 * that were derived from the root keys.
 */
function makeDigestKeysIn(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { roots, sealer }: { roots: RootKeys; sealer: Sealer },
): Buffer[] {
  const wasUsed = hasServed(tx)
  const former = [roots.previous, roots.current].filter(
    (root) => root !== null && wasUsed,
  ) as Buffer[]
  const keys = [
    ...former.map((root) => deriveKey(root, 'short-codes')),
    randomBytes(DIGEST_KEY_BYTES),
  ]
  const createdAtMs = clock.nowMs()
  tx.insert(digestKeys)
    .values(
      keys.map((key) => ({ sealed: sealer.seal(key.toString('base64'), PLACE), createdAtMs })),
    )
    .run()
  return keys.toReversed()
}

/** Refuses to continue if the database needs a key that is not configured. Throws WrongKeyError. */
export function requireReadableSecrets({ db, vault }: Pick<Deps, 'db'> & { vault: Sealer }): void {
  const digests = db.orm.select({ sealed: digestKeys.sealed }).from(digestKeys).all()
  requireKnown(vault, digests)
  const needed = db.orm
    .select({ keyId: rootKeys.keyId })
    .from(rootKeys)
    .where(isNull(rootKeys.retiredAtMs))
    .all()
  const isMissing = (keyId: string): boolean => !vault.keyIds.includes(keyId)
  const missing = [...keyIdsIn(db.sqlite), ...needed.map(({ keyId }) => keyId)].find(isMissing)
  if (missing === undefined) return
  throw new WrongKeyError(
    digests.length > 0
      ? 'Stored secrets still need the previous key. Set SECRET_KEY_PREVIOUS to it until the ' +
          'log and "doctor" report that it can be removed.'
      : wrongKey(vault, missing),
  )
}

/** Stored responses expire after a day, so an unreadable one does not prevent the start. */
const SHORT_LIVED = 'answer_sealed'

/** Returns the IDs of the keys that encrypted the columns named `*_sealed`. */
function keyIdsIn(sqlite: Database): string[] {
  const columns = sealedColumns(sqlite).filter(({ column }) => column !== SHORT_LIVED)
  return columns.flatMap(({ table, column }) =>
    sqlite
      .query<{ id: string }, []>(
        `select distinct substr("${column}", 1, instr("${column}", '.') - 1) as id from "${table}" where "${column}" is not null`,
      )
      .all()
      .map(({ id }) => id),
  )
}

/** Progress of a rotation of the root key. */
export interface RotationProgress {
  /** Whether something may still be encrypted with a former key. */
  isUnderway: boolean
  /** When the present key was first used, epoch milliseconds. */
  sinceMs: number
}

/**
 * Makes the configured root key the current one: encrypts the digest keys with it, and marks a
 * former key as needed until all data is encrypted again. Only the server does this, because a
 * command may have other settings.
 */
export function activateRootKey(deps: Pick<Deps, 'db' | 'clock' | 'vault'>): RotationProgress {
  const { vault } = deps
  const nowMs = deps.clock.nowMs()
  return transact(deps.db, (tx) => {
    for (const keyId of vault.keyIds)
      tx.insert(rootKeys)
        .values({ keyId, firstUsedAtMs: nowMs, retiredAtMs: null })
        .onConflictDoNothing()
        .run()
    tx.update(rootKeys)
      .set({ retiredAtMs: null })
      .where(eq(rootKeys.keyId, vault.currentKeyId))
      .run()
    for (const { id, sealed } of tx.select().from(digestKeys).all())
      tx.update(digestKeys)
        .set({ sealed: vault.reseal(sealed, PLACE) })
        .where(eq(digestKeys.id, id))
        .run()
    return rotationProgress(deps)
  })
}

/** Returns the progress of the rotation of the root key. */
export function rotationProgress({
  db,
  vault,
}: Pick<Deps, 'db'> & { vault: Sealer }): RotationProgress {
  const rows = db.orm.select().from(rootKeys).all()
  return {
    isUnderway: rows.some(
      ({ keyId, retiredAtMs }) => keyId !== vault.currentKeyId && retiredAtMs === null,
    ),
    sinceMs: rows.find(({ keyId }) => keyId === vault.currentKeyId)?.firstUsedAtMs ?? 0,
  }
}

/**
 * Records that the database needs no former key any longer, in the transaction that encrypted the
 * last row.
 */
export function retireFormerKeysIn(tx: Tx, { clock, vault }: Pick<Deps, 'clock' | 'vault'>): void {
  tx.update(rootKeys)
    .set({ retiredAtMs: clock.nowMs() })
    .where(and(ne(rootKeys.keyId, vault.currentKeyId), isNull(rootKeys.retiredAtMs)))
    .run()
}
