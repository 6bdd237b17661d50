import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Failures that count against somebody (logins, verifications): kept in the database, so that a
 * restart forgives nothing.
 */
export const throttleFailures = sqliteTable(
  'throttle_failures',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** What failed and where, for example `login:account`. */
    bucket: text('bucket').notNull(),
    /** SHA-256 of the account or address, so that the table names nobody. */
    keyHash: text('key_hash').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    index('throttle_failures_recent').on(table.bucket, table.keyHash, table.atMs),
    index('throttle_failures_age').on(table.atMs),
  ],
)

/**
 * From which addresses each account has proven itself lately: failures anywhere else do not lock
 * these out.
 */
export const throttleKnownAddresses = sqliteTable(
  'throttle_known_addresses',
  {
    /** Keyed digest of account and address, so that the table names nobody. */
    mark: text('mark').primaryKey(),
    /** When the account proved itself there last. */
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('throttle_known_addresses_age').on(table.atMs)],
)
