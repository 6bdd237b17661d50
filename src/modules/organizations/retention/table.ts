import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { organizations } from '../table'

/**
 * How long an organization keeps what; without a row everything for good, and the journal as long
 * as the installation does.
 */
export const retentionSettings = sqliteTable('retention_settings', {
  organizationId: text('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  /** Days; `null`: for good. */
  messagesDays: integer('messages_days'),
  mediaDays: integer('media_days'),
  notesDays: integer('notes_days'),
  journalDays: integer('journal_days'),
  contactsInactiveDays: integer('contacts_inactive_days'),
  /** Whether nothing may be erased at all. */
  isLegalHold: integer('is_legal_hold', { mode: 'boolean' }).notNull().default(false),
  /**
   * The limits that still count while they are longer than the new ones, JSON; and since when the
   * new ones are written down.
   */
  former: text('former').notNull().default('{}'),
  changedAtMs: integer('changed_at_ms').notNull(),
  /** The local day of the last nightly run, `YYYY-MM-DD`. */
  lastRunDay: text('last_run_day'),
})
