import { sql } from 'drizzle-orm'
import { check, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../db/columns'
import { tableWithPeople } from '../db/define-table'
import { uuid } from '../db/uuid'

/** Responses to requests with an `Idempotency-Key`, stored for 24 hours. */
export const idempotencyKeys = tableWithPeople(
  'idempotency_keys',
  { of: 'contacts', erased: 'mentions' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    /** The caller: user, API key or client address. */
    caller: text('caller').notNull().business(),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull().business(),
    /** Method and path. */
    route: text('route').notNull().business(),
    /** Keyed digest of the body, which may contain a password. */
    bodyHash: text('body_hash').notNull().business(),
    status: integer('status').business(),
    /**
     * The encrypted response, which may contain a token or key. `null` if the effect is committed
     * but the response is unknown or was erased.
     */
    answerSealed: text('answer_sealed').personal(),
    createdAtMs: integer('created_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.caller, table.keyHash, table.route] }),
    check('idempotency_answered', sql`(${table.status} is null) = (${table.answerSealed} is null)`),
    index('idempotency_keys_age').on(table.createdAtMs),
  ],
)
