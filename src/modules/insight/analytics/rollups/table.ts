import { foreignKey, primaryKey, type AnySQLiteColumn } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { organizations } from '../../../organization/organizations/table'

/**
 * The live counts of each organization: those that reports read, and those of a rebuild that is
 * under way. Counts of facts that are not stored any more have the number 0, which is in no row
 * here.
 */
export const rollupParts = storedByKey(
  tableWithoutPeople(
    'rollup_parts',
    'the state of counts',
    {
      organizationId: uuid('organization_id')
        .notNull()
        .references(() => organizations.id),
      part: integer('part').notNull(),
      /**
       * The last message, transfer or other fact that a rebuild has counted, which goes by their IDs.
       * Triggers add changes of these only.
       * `null` if the counts are complete.
       */
      through: uuid('through'),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.part] })],
  ),
)

/**
 * Columns that say when something was counted. All tables of counts have them and follow one rule:
 * triggers write quarter hours, and a job adds these to longer periods (`fold.ts`).
 */
export const when = {
  organizationId: uuid('organization_id').notNull(),
  /** See `rollup_parts`. */
  part: integer('part').notNull(),
  /**
   * Length of the period: 0 quarter hours, 1 local hours, 2 days and 3 months. Triggers write only
   * 0. A job moves these rows to the hours, which are kept for 90 days, and to the days.
   */
  unit: integer('unit').notNull(),
  /**
   * Start of the period: quarter hours since 1970 for quarter hours and hours, local days since
   * 1970, or local months since January of year 0.
   */
  start: integer('start').notNull(),
}

const period = { ...when, accountId: uuid('account_id').notNull() }

/** The reference of counts to the number that they are of. */
export const ofAccount = (table: Record<'organizationId' | 'accountId', AnySQLiteColumn>) =>
  foreignKey({
    columns: [table.organizationId, table.accountId],
    foreignColumns: [accounts.organizationId, accounts.id],
  })

/**
 * Messages by when they were sent, and answers by when the customer began to wait.
 *
 * @public Used by name in SQL.
 */
export const messageRollups = storedByKey(
  tableWithoutPeople(
    'message_rollups',
    'counts',
    {
      ...period,
      source: text('source').notNull(),
      type: text('type').notNull(),
      /** Received, or accepted by the platform. */
      messages: integer('messages').notNull().default(0),
      delivered: integer('delivered').notNull().default(0),
      read: integer('read').notNull().default(0),
      failed: integer('failed').notNull().default(0),
      answers: integer('answers').notNull().default(0),
      answerMs: integer('answer_ms').notNull().default(0),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.unit,
          table.start,
          table.accountId,
          table.source,
          table.type,
        ],
      }),
      ofAccount(table),
    ],
  ),
)

/**
 * Messages of each contact by the day. The contact is the number of its row.
 *
 * @public Used by name in SQL.
 */
export const contactRollups = storedByKey(
  tableWithoutPeople(
    'contact_rollups',
    'counts by numbers of rows',
    {
      ...period,
      contact: integer('contact').notNull(),
      source: text('source').notNull(),
      messages: integer('messages').notNull().default(0),
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.unit,
          table.start,
          table.accountId,
          table.contact,
          table.source,
        ],
      }),
      ofAccount(table),
    ],
  ),
)

const costs = {
  currency: text('currency').notNull(),
  billable: integer('billable').notNull().default(0),
  free: integer('free').notNull().default(0),
  unpriced: integer('unpriced').notNull().default(0),
  estimated: integer('estimated').notNull().default(0),
  /** Millionths of the currency. */
  micros: integer('micros').notNull().default(0),
  estimatedMicros: integer('estimated_micros').notNull().default(0),
}

/**
 * Costs as triggers add them up: by everything that reports group by. Values are empty for none.
 *
 * @public Used by name in SQL.
 */
export const costChanges = storedByKey(
  tableWithoutPeople(
    'cost_changes',
    'sums of costs',
    {
      ...period,
      category: text('category').notNull(),
      country: text('country').notNull(),
      source: text('source').notNull(),
      campaignId: uuid('campaign_id').notNull(),
      templateId: uuid('template_id').notNull(),
      botFlowId: uuid('bot_flow_id').notNull(),
      agentId: uuid('agent_id').notNull(),
      ...costs,
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.unit,
          table.start,
          table.accountId,
          table.category,
          table.country,
          table.source,
          table.campaignId,
          table.templateId,
          table.botFlowId,
          table.agentId,
          table.currency,
        ],
      }),
      ofAccount(table),
    ],
  ),
)

/**
 * Costs by one thing that reports group by. Each cost is in one row of every dimension.
 *
 * @public Used by name in SQL.
 */
export const costRollups = storedByKey(
  tableWithoutPeople(
    'cost_rollups',
    'sums of costs',
    {
      ...period,
      dimension: text('dimension', {
        enum: ['category', 'country', 'source', 'campaign', 'template', 'bot_flow', 'agent'],
      }).notNull(),
      /** Empty for none; IDs as the hexadecimal digits of their bytes. */
      key: text('key').notNull(),
      ...costs,
    },
    (table) => [
      primaryKey({
        columns: [
          table.organizationId,
          table.part,
          table.dimension,
          table.unit,
          table.start,
          table.accountId,
          table.key,
          table.currency,
        ],
      }),
      ofAccount(table),
    ],
  ),
)

/**
 * Contacts by when they were first seen: those of the organization, and those with a message or
 * call on each phone number.
 *
 * @public Used by name in SQL.
 */
export const contactsSeen = storedByKey(
  tableWithoutPeople(
    'contacts_seen',
    'counts',
    {
      ...when,
      /** Empty for the whole organization. */
      accountId: uuid('account_id').notNull(),
      /** Deleted and erased ones included, without those merged into others. */
      contacts: integer('contacts').notNull(),
      /** Those that are not deleted. */
      live: integer('live').notNull(),
    },
    (table) => [
      primaryKey({
        columns: [table.organizationId, table.part, table.unit, table.start, table.accountId],
      }),
    ],
  ),
)
