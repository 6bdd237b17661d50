import { integer, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../table'

/**
 * Retention settings. Without a row an organization keeps everything forever, except webhook
 * deliveries, which it keeps as long as the installation does.
 */
export const retentionSettings = tableWithoutPeople(
  'retention_settings',
  'settings of the organization',
  {
    organizationId: uuid('organization_id')
      .primaryKey()
      .references(() => organizations.id),
    /** Days; `null` keeps forever. */
    messagesDays: integer('messages_days'),
    mediaDays: integer('media_days'),
    notesDays: integer('notes_days'),
    journalDays: integer('journal_days'),
    contactsInactiveDays: integer('contacts_inactive_days'),
    /** Whether the organization is on legal hold: nothing may be erased. */
    isLegalHold: integer('is_legal_hold', { mode: 'boolean' }).notNull().default(false),
    /** The limits in effect before the last change, JSON, and the time of that change. */
    former: text('former').notNull().default('{}'),
    changedAtMs: integer('changed_at_ms').notNull(),
    /** The local day of the last nightly run, `YYYY-MM-DD`. */
    lastRunDay: text('last_run_day'),
  },
)
