import { sql } from 'drizzle-orm'
import { check, index, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'

/**
 * Platform prices, shared by all organizations. The newest row that has taken effect applies
 * (templates contract D).
 */
export const prices = tableWithoutPeople(
  'prices',
  'prices of the platform',
  {
    id: uuid('id').primaryKey(),
    /** ISO 3166 code of the recipient's country, or `*` for all other countries. */
    country: text('country').notNull(),
    /** MARKETING, UTILITY, AUTHENTICATION, …; SERVICE for messages without a template. */
    category: text('category').notNull(),
    kind: text('kind', { enum: ['template', 'service'] }).notNull(),
    currency: text('currency').notNull(),
    /** Price of one message, millionths of the currency. */
    priceMicros: integer('price_micros').notNull(),
    /** Whether it applies inside or outside the 24-hour window, or always. */
    applies: text('applies', { enum: ['always', 'inside_window', 'outside_window'] })
      .notNull()
      .default('always'),
    /** Number of free service messages per phone number and month. */
    freePerMonth: integer('free_per_month'),
    effectiveFromMs: integer('effective_from_ms').notNull(),
    source: text('source').notNull().default(''),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    check('prices_not_negative', sql`${table.priceMicros} >= 0`),
    uniqueIndex('prices_row').on(
      table.kind,
      table.country,
      table.category,
      table.currency,
      table.applies,
      table.effectiveFromMs,
    ),
    index('prices_currency').on(table.currency),
  ],
)
