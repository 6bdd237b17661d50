import { index } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../db/columns'
import { tableWithoutPeople } from '../db/define-table'

/**
 * Failed proofs of identity. Stored in the database, so that a restart does not reset the limits.
 */
export const throttleFailures = tableWithoutPeople(
  'throttle_failures',
  'digests that identify nobody',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The kind of failure and its scope, for example `login:account`. */
    bucket: text('bucket').notNull(),
    /** SHA-256 of the account or address, so that the table identifies nobody. */
    keyHash: text('key_hash').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    index('throttle_failures_recent').on(table.bucket, table.keyHash, table.atMs),
    index('throttle_failures_age').on(table.atMs),
  ],
)

/**
 * Addresses from which each account recently signed in. Failures elsewhere do not lock them out.
 */
export const throttleKnownAddresses = tableWithoutPeople(
  'throttle_known_addresses',
  'digests that identify nobody',
  {
    /** Keyed digest of account and address, so that the table identifies nobody. */
    mark: text('mark').primaryKey(),
    /** When the account proved itself there last. */
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('throttle_known_addresses_age').on(table.atMs)],
)
