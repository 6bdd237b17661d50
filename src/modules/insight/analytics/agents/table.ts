import { index, primaryKey, type AnySQLiteColumn } from 'drizzle-orm/sqlite-core'

import { integer } from '../../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { ofAccount, when } from '../rollups/table'

/** Rows are in the order of people, for their reports. The job that folds them goes by time. */
const byTime = <T extends Record<keyof typeof when, AnySQLiteColumn>>(
  table: T,
): [T['organizationId'], T['part'], T['unit'], T['start']] => [
  table.organizationId,
  table.part,
  table.unit,
  table.start,
]

/**
 * Messages that each person sent, by when the platform accepted them.
 *
 * @public Used by name in SQL.
 */
export const agentMessageCounts = storedByKey(
  tableWithoutPeople(
    'agent_message_counts',
    'counts by ids of colleagues',
    {
      ...when,
      userId: uuid('user_id').notNull(),
      messages: integer('messages').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [table.organizationId, table.part, table.userId, table.unit, table.start],
      }),
      index('agent_message_counts_start').on(...byTime(table)),
    ],
  ),
)

/**
 * First responses of each person by the time of the customer's message, and by how long the
 * customer waited, in steps of 2 percent (`lib/histogram.ts`).
 *
 * @public Used by name in SQL.
 */
export const agentResponseCounts = storedByKey(
  tableWithoutPeople(
    'agent_response_counts',
    'counts by ids of colleagues',
    {
      ...when,
      userId: uuid('user_id').notNull(),
      accountId: uuid('account_id').notNull(),
      /** The step that the time waited belongs to. */
      bin: integer('bin').notNull(),
      responses: integer('responses').notNull(),
      /** Sum of the times waited, milliseconds. */
      waitedMs: integer('waited_ms').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.userId,
          table.unit,
          table.start,
          table.bin,
          table.accountId,
        ],
      }),
      index('agent_response_counts_start').on(...byTime(table)),
      ofAccount(table),
    ],
  ),
)

/**
 * Transfers that ended while a person had them, by their end, and missed deadlines by when they were
 * missed. The latter belong to nobody: their `user_id` is empty.
 *
 * @public Used by name in SQL.
 */
export const transferCounts = storedByKey(
  tableWithoutPeople(
    'transfer_counts',
    'counts by ids of colleagues',
    {
      ...when,
      userId: uuid('user_id').notNull(),
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
        columns: [
          table.organizationId,
          table.part,
          table.userId,
          table.unit,
          table.start,
          table.accountId,
        ],
      }),
      index('transfer_counts_start').on(...byTime(table)),
      ofAccount(table),
    ],
  ),
)
