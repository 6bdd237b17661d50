import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** First answers to requests that carried an `Idempotency-Key`, kept 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    organizationId: text('organization_id').notNull(),
    /** Who asked: user or API key. */
    caller: text('caller').notNull(),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull(),
    /** Method and path. */
    route: text('route').notNull(),
    /** Keyed digest of the body, which may hold a password. */
    bodyHash: text('body_hash').notNull(),
    status: integer('status'),
    /**
     * The answer, encrypted: it may hold a token or a key. `null`: what the request does is
     * committed, its answer is not known or forgotten.
     */
    answerSealed: text('answer_sealed'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.caller, table.keyHash, table.route] }),
    check('idempotency_answered', sql`(${table.status} is null) = (${table.answerSealed} is null)`),
    index('idempotency_keys_age').on(table.createdAtMs),
  ],
)
