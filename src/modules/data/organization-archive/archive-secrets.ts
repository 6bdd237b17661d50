import { argon2 } from 'node:crypto'
import { promisify } from 'node:util'

import { createSealer, type Sealer } from '../../../lib/secret'
import type { ArchiveEncryption } from './archive-format'

const KEY_BYTES = 32
const SALT_BYTES = 16

/** What a key costs: for a passphrase of a person about 0.3 seconds and 64 MiB. */
type Cost = Pick<ArchiveEncryption, 'memory_kib' | 'passes' | 'parallelism'>
const COST: Cost = { memory_kib: 65_536, passes: 3, parallelism: 1 }

const derive = promisify(argon2)

/** Encrypts and decrypts the secrets of one archive, and how its key is derived. */
export interface ArchiveKey {
  encryption: ArchiveEncryption
  /** The derived key. With it, nobody needs the passphrase. */
  key: Buffer
}

/**
 * Derives a new key from a passphrase. `random` returns as many random bytes as it is asked for. Only
 * a passphrase that nobody can guess, as one that was derived from a secret, may cost less.
 */
export const createArchiveKey = (
  passphrase: string,
  random: (bytes: number) => Uint8Array,
  cost = COST,
): Promise<ArchiveKey> =>
  deriveArchiveKey(passphrase, {
    kdf: 'argon2id',
    salt: Buffer.from(random(SALT_BYTES)).toString('base64'),
    ...cost,
  })

/**
 * Derives the key of an archive from its passphrase. The passphrase is wrong if the `key_id` that
 * comes back differs from the one in the manifest.
 */
export async function deriveArchiveKey(
  passphrase: string,
  cost: Omit<ArchiveEncryption, 'key_id'>,
): Promise<ArchiveKey> {
  const { kdf, salt, memory_kib, passes, parallelism } = cost
  const key = await derive(kdf, {
    message: passphrase.normalize('NFC'),
    nonce: Buffer.from(salt, 'base64'),
    memory: memory_kib,
    tagLength: KEY_BYTES,
    ...{ passes, parallelism },
  })
  const key_id = sealerOf(key).currentKeyId
  return { encryption: { kdf, salt, memory_kib, passes, parallelism, key_id }, key }
}

/**
 * Returns the encryption of an archive's secrets with a derived key: AES-256-GCM as for stored
 * secrets (`lib/secret.ts`).
 */
export const sealerOf = (key: Buffer): Sealer => createSealer({ current: key, previous: null })

/**
 * Returns what a secret of an archive is encrypted for, so that it can be moved neither to another
 * row or column nor to the archive of another organization. `key` has the values of the part's key
 * columns, as they stand in the line.
 */
export const archivedSecretContext = (at: {
  organizationId: string
  table: string
  column: string
  key: readonly unknown[]
}): string =>
  JSON.stringify([
    'switchboard.organization-archive',
    at.organizationId,
    at.table,
    at.column,
    ...at.key,
  ])

/**
 * Returns what a secret is encrypted for in the database: the place that the table's fate names,
 * with the IDs of its row.
 */
export const storedSecretContext = (place: string, idOf: (column: string) => string): string =>
  place.replaceAll(/\{(\w+)\}/g, (_, column: string) => idOf(column))
