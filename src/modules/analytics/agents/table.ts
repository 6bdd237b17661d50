import { foreignKey, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../accounts/table'

/**
 * Messages that each person sent, by the quarter of an hour in which the platform accepted them.
 * Triggers keep it, as they keep the counts of messages; see `rollupParts`.
 */
export const agentMessageCounts = sqliteTable(
  'agent_message_counts',
  {
    organizationId: uuid('organization_id').notNull(),
    /** See `rollup_parts`. */
    part: integer('part').notNull(),
    userId: uuid('user_id').notNull(),
    /** Beginning of the quarter of an hour, UTC. */
    atMs: integer('at_ms').notNull(),
    messages: integer('messages').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.part, table.userId, table.atMs] }),
  ],
)

/**
 * First responses of each person by the quarter of an hour of the customer's message, and by how
 * long the customer waited, in steps of 2 percent (`lib/histogram.ts`). Triggers keep it as above.
 */
export const agentResponseCounts = sqliteTable(
  'agent_response_counts',
  {
    organizationId: uuid('organization_id').notNull(),
    /** See `rollup_parts`. */
    part: integer('part').notNull(),
    userId: uuid('user_id').notNull(),
    /** Beginning of the quarter of an hour, UTC. */
    atMs: integer('at_ms').notNull(),
    /** The step that the time waited belongs to. */
    bin: integer('bin').notNull(),
    responses: integer('responses').notNull(),
    /** Sum of the times waited, milliseconds. */
    waitedMs: integer('waited_ms').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.part, table.userId, table.atMs, table.bin],
    }),
  ],
)

/**
 * Transfers that ended while a person had them, by the quarter of an hour of their end, and missed
 * deadlines by the quarter of an hour in which they were missed. The latter belong to nobody: their
 * `user_id` is empty. Triggers keep it as above.
 */
export const transferCounts = sqliteTable(
  'transfer_counts',
  {
    organizationId: uuid('organization_id').notNull(),
    /** See `rollup_parts`. */
    part: integer('part').notNull(),
    userId: uuid('user_id').notNull(),
    /** Beginning of the quarter of an hour, UTC. */
    atMs: integer('at_ms').notNull(),
    accountId: uuid('account_id').notNull(),
    handled: integer('handled').notNull(),
    /** Those of the handled that waited in a queue before, and how long all of them did. */
    pickedUp: integer('picked_up').notNull(),
    queuedMs: integer('queued_ms').notNull(),
    /** Sum of the times from transfer to end, milliseconds. */
    resolutionMs: integer('resolution_ms').notNull(),
    /** Missed deadlines: of the handled, or all of them in rows of nobody. */
    breached: integer('breached').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.part, table.userId, table.atMs, table.accountId],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)
