import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../db/uuid'

/** Responses to requests with an `Idempotency-Key`, stored for 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    organizationId: uuid('organization_id').notNull(),
    /** The caller: user, API key or client address. */
    caller: text('caller').notNull(),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull(),
    /** Method and path. */
    route: text('route').notNull(),
    /** Keyed digest of the body, which may contain a password. */
    bodyHash: text('body_hash').notNull(),
    status: integer('status'),
    /**
     * The encrypted response, which may contain a token or key. `null` if the effect is committed
     * but the response is unknown or was erased.
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
