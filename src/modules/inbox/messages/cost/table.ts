import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'

/**
 * Cost of the messages of a number by month and currency. Kept by triggers; erased messages stay
 * counted.
 */
export const costTotals = tableWithoutPeople(
  'cost_totals',
  'sums of costs',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Month of sending in the business account's time zone, such as 202610. */
    month: integer('month').notNull(),
    /** Empty for messages without any price. */
    currency: text('currency').notNull(),
    /** Sum of what the platform has reported, millionths of the currency. */
    settledMicros: integer('settled_micros').notNull(),
    /** Sum of the estimates that are not settled yet. */
    estimatedMicros: integer('estimated_micros').notNull(),
    estimatedMessages: integer('estimated_messages').notNull(),
    unpricedMessages: integer('unpriced_messages').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.accountId, table.month, table.currency],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    index('cost_totals_month').on(table.organizationId, table.month, table.currency),
  ],
)

/** Service messages of a number by month. Kept by triggers. */
export const serviceCounts = tableWithoutPeople(
  'service_counts',
  'counts',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Month in the business account's time zone, such as 202610. */
    month: integer('month').notNull(),
    /** Sent in the month, without those that failed or are free for another reason. */
    sent: integer('sent').notNull(),
    /** Delivered in the month, erased ones included. */
    delivered: integer('delivered').notNull(),
    /** Free ones among the delivered that were erased later. */
    erasedFree: integer('erased_free').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId, table.month] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)
