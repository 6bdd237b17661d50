import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'
import { messages } from '../messages/table'
import { flows } from './table'

/**
 * The forms that were sent: each with the token that stands for it, by which its message, and with
 * it the contact, is found.
 */
export const flowTokens = sqliteTable(
  'flow_tokens',
  {
    organizationId: text('organization_id').notNull(),
    /** 128 random bits, hexadecimal. */
    token: text('token').notNull(),
    flowId: text('flow_id').notNull(),
    accountId: text('account_id').notNull(),
    messageId: text('message_id').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** From then on the endpoint takes it no more. */
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.token] }),
    foreignKey({
      columns: [table.organizationId, table.flowId],
      foreignColumns: [flows.organizationId, flows.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    index('flow_tokens_message').on(table.organizationId, table.messageId),
  ],
)

/** What people filled in: one row per form sent, and those whose form nobody knows. */
export const flowResponses = sqliteTable(
  'flow_responses',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    /** `null` when it belongs to no form we know. */
    flowId: text('flow_id'),
    /** The token of the form it answers, where that is one of ours. */
    token: text('token'),
    /** The customer's message that brought it. */
    messageId: text('message_id').notNull(),
    /** JSON object as it was filled in; `null` when the platform delivered none. */
    data: text('data'),
    /** The values without case and accents: what it is found by. */
    words: text('words').notNull(),
    /** Platform time. */
    completedAtMs: integer('completed_at_ms').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.flowId],
      foreignColumns: [flows.organizationId, flows.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.token],
      foreignColumns: [flowTokens.organizationId, flowTokens.token],
    }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    uniqueIndex('flow_responses_token')
      .on(table.organizationId, table.token)
      .where(sql`${table.token} is not null`),
    uniqueIndex('flow_responses_message').on(table.organizationId, table.messageId),
    index('flow_responses_recent')
      .on(table.organizationId, table.flowId, table.completedAtMs, table.id)
      .where(sql`${table.flowId} is not null`),
  ],
)
