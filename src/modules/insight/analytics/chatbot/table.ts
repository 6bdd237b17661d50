import { primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { ofAccount, when } from '../rollups/table'

/**
 * Sessions of the bot by when they began.
 *
 * @public Used by name in SQL.
 */
export const botSessionCounts = storedByKey(
  tableWithoutPeople(
    'bot_session_counts',
    'counts',
    {
      ...when,
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
      /** Messages of the bot in those that ended, and the turns in which it wrote them. */
      botMessages: integer('bot_messages').notNull(),
      botTurns: integer('bot_turns').notNull(),
      /** Sum of the durations of the automatically resolved ones, milliseconds. */
      resolutionMs: integer('resolution_ms').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.unit,
          table.start,
          table.accountId,
          table.flowId,
          table.node,
        ],
      }),
      ofAccount(table),
    ],
  ),
)

/**
 * Settled calls to AI providers by when they began.
 *
 * @public Used by name in SQL.
 */
export const aiCallCounts = storedByKey(
  tableWithoutPeople(
    'ai_call_counts',
    'counts',
    {
      ...when,
      /** Empty for calls that concern no phone number, such as tests. */
      accountId: uuid('account_id').notNull(),
      requests: integer('requests').notNull(),
      failed: integer('failed').notNull(),
      inputTokens: integer('input_tokens').notNull(),
      outputTokens: integer('output_tokens').notNull(),
      /** Millionths of a US dollar. */
      costMicros: integer('cost_micros').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [table.organizationId, table.part, table.unit, table.start, table.accountId],
      }),
    ],
  ),
)

/**
 * Answers of keyword rules, and bot flows that a keyword started. Nothing else is stored of a hit,
 * so all counts are of facts that are not stored: their part is 0, and a rebuild keeps them.
 *
 * @public Used by name in SQL.
 */
export const keywordRollups = storedByKey(
  tableWithoutPeople(
    'keyword_rollups',
    'counts by keywords that the organization chose',
    {
      ...when,
      accountId: uuid('account_id').notNull(),
      kind: text('kind', { enum: ['rule', 'flow'] }).notNull(),
      /** The rule or bot flow, which may be deleted. */
      sourceId: uuid('source_id').notNull(),
      keyword: text('keyword').notNull(),
      hits: integer('hits').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.unit,
          table.start,
          table.accountId,
          table.kind,
          table.sourceId,
          table.keyword,
        ],
      }),
      ofAccount(table),
    ],
  ),
)
