import { integer, text } from '../db/columns'
import { tableWithoutPeople } from '../db/define-table'

/**
 * The root keys that encrypted something in this database, by id; the keys themselves are never
 * stored.
 */
export const rootKeys = tableWithoutPeople('root_keys', 'keys of this installation', {
  keyId: text('key_id').primaryKey(),
  firstUsedAtMs: integer('first_used_at_ms').notNull(),
  /** When the last data of this key was encrypted again; `null` while the key is needed. */
  retiredAtMs: integer('retired_at_ms'),
})

/**
 * Keys of keyed digests, encrypted with the root key. A digest cannot be recomputed, so its key
 * outlives each root key. The newest one creates digests.
 */
export const digestKeys = tableWithoutPeople('digest_keys', 'keys of this installation', {
  id: integer('id').primaryKey(),
  sealed: text('sealed').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})
