import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * What the platform charges, as dated rows of the whole installation: the newest one that has begun
 * applies (templates contract D).
 */
export const prices = sqliteTable(
  'prices',
  {
    id: text('id').primaryKey(),
    /**
     * ISO 3166 code of the recipient's country, or the name of a market: `*` stands for every other
     * country.
     */
    country: text('country').notNull(),
    /** MARKETING, UTILITY, AUTHENTICATION, …; SERVICE of what is no template. */
    category: text('category').notNull(),
    kind: text('kind', { enum: ['template', 'service'] }).notNull(),
    currency: text('currency').notNull(),
    /** Of one message, millionths of the currency. */
    priceMicros: integer('price_micros').notNull(),
    /** Where it applies: inside of open windows, outside of them, or both. */
    applies: text('applies', { enum: ['always', 'inside_window', 'outside_window'] })
      .notNull()
      .default('always'),
    /** Of service messages: so many of a number cost nothing in a month. */
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
