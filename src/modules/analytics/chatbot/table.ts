import { foreignKey, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../accounts/table'

/**
 * Sessions of the bot by the quarter of an hour in which they began. Triggers keep it, as they keep
 * the counts of messages; see `rollupParts`.
 */
export const botSessionCounts = sqliteTable(
  'bot_session_counts',
  {
    organizationId: uuid('organization_id').notNull(),
    /** See `rollup_parts`. */
    part: integer('part').notNull(),
    /** Beginning of the quarter of an hour, UTC. */
    atMs: integer('at_ms').notNull(),
    accountId: uuid('account_id').notNull(),
    /** The bot flow that they were in last; empty for none. */
    flowId: uuid('flow_id').notNull(),
    /** The node at which abandoned ones stopped; empty for all others. */
    node: text('node').notNull(),
    sessions: integer('sessions').notNull(),
    completed: integer('completed').notNull(),
    autoResolved: integer('auto_resolved').notNull(),
    transferred: integer('transferred').notNull(),
    abandoned: integer('abandoned').notNull(),
    /** Messages of both sides in those that ended. */
    messages: integer('messages').notNull(),
    /** Sum of the durations of the automatically resolved ones, milliseconds. */
    resolutionMs: integer('resolution_ms').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.organizationId,
        table.part,
        table.atMs,
        table.accountId,
        table.flowId,
        table.node,
      ],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)

/**
 * Settled calls to AI providers for a phone number, by the quarter of an hour in which they began.
 * Triggers keep it. `ai_days` has the sums of all numbers.
 */
export const aiCallCounts = sqliteTable(
  'ai_call_counts',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Beginning of the quarter of an hour, UTC. */
    atMs: integer('at_ms').notNull(),
    requests: integer('requests').notNull(),
    failed: integer('failed').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    /** Millionths of a US dollar. */
    costMicros: integer('cost_micros').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId, table.atMs] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)
