import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organizations/table'
import { contacts } from '../table'

/** Append-only consent history. `contacts.marketing_consent` is the newest entry. */
export const contactConsents = sqliteTable(
  'contact_consents',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    contactId: uuid('contact_id').notNull(),
    purpose: text('purpose', { enum: ['marketing'] }).notNull(),
    state: text('state', { enum: ['opted_in', 'opted_out'] }).notNull(),
    source: text('source', {
      enum: ['keyword', 'platform', 'agent', 'import', 'api', 'chatbot'],
    }).notNull(),
    evidence: text('evidence'),
    /** The message that expressed the consent, if any. */
    messageId: uuid('message_id'),
    actorId: uuid('actor_id'),
    actorName: text('actor_name'),
    /**
     * When consent was given or withdrawn, by platform time where known. The newest entry counts.
     */
    atMs: integer('at_ms').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('contact_consents_recent').on(
      table.organizationId,
      table.contactId,
      table.atMs,
      table.id,
    ),
  ],
)

/** Opt-out and opt-in keywords and their replies; one row per organization. */
export const consentSettings = sqliteTable('consent_settings', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  /** JSON arrays. */
  optOutKeywords: text('opt_out_keywords').notNull(),
  optInKeywords: text('opt_in_keywords').notNull(),
  optOutReply: text('opt_out_reply'),
  optInReply: text('opt_in_reply'),
  updatedAtMs: integer('updated_at_ms').notNull(),
})
