import { sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'
import { messages } from '../../inbox/messages/table'
import { flows } from './table'

/** Sent Flows, each with its token and message. */
export const flowTokens = tableWithoutPeople(
  'flow_tokens',
  'random tokens, ids and times; they go with their message',
  {
    organizationId: uuid('organization_id').notNull(),
    /** 128 random bits, hexadecimal. */
    token: text('token').notNull(),
    flowId: uuid('flow_id').notNull(),
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The endpoint accepts the token until then. */
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

/** Responses: one row per sent Flow, and responses to unknown Flows. */
export const flowResponses = tableWithPeople(
  'flow_responses',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    /** `null` if the Flow is unknown. */
    flowId: uuid('flow_id').business(),
    /** Token of the sent Flow, if it is known. */
    token: text('token').business(),
    /** The incoming message. */
    messageId: uuid('message_id').notNull().business(),
    /** Entered values, JSON object; `null` if the platform delivered none. */
    data: text('data').personal(),
    /** The values without case and accents, for the search. */
    words: text('words').notNull().derived({ withheld: 'a form of `data` for searches' }),
    /** Platform time. */
    completedAtMs: integer('completed_at_ms').notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
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
