import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The root keys that encrypted something in this database, by id; the keys themselves are never
 * stored.
 */
export const rootKeys = sqliteTable('root_keys', {
  keyId: text('key_id').primaryKey(),
  firstUsedAtMs: integer('first_used_at_ms').notNull(),
  /** When nothing was left that this key encrypted; null while the key is needed. */
  retiredAtMs: integer('retired_at_ms'),
})

/**
 * Keys of keyed digests, encrypted with the root key. A digest cannot be made anew, so its key
 * outlives each root key. The newest one makes digests.
 */
export const digestKeys = sqliteTable('digest_keys', {
  id: integer('id').primaryKey(),
  sealed: text('sealed').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})
