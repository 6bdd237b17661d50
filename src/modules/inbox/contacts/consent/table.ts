import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../../organization/organizations/table'
import { contacts } from '../table'

/** Append-only consent history. `contacts.marketing_consent` is the newest entry. */
export const contactConsents = tableWithPeople(
  'contact_consents',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    purpose: text('purpose', { enum: ['marketing'] })
      .notNull()
      .business(),
    state: text('state', { enum: ['opted_in', 'opted_out'] })
      .notNull()
      .personal(),
    source: text('source', {
      enum: ['keyword', 'platform', 'agent', 'import', 'api', 'chatbot'],
    })
      .notNull()
      .personal(),
    evidence: text('evidence').personal(),
    /** The message that expressed the consent, if any. */
    messageId: uuid('message_id').business(),
    actorId: uuid('actor_id').business(),
    actorName: text('actor_name').business(),
    /**
     * When consent was given or withdrawn, by platform time where known. The newest entry counts.
     */
    atMs: integer('at_ms').notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
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
export const consentSettings = tableWithoutPeople(
  'consent_settings',
  'words and replies for everybody',
  {
    organizationId: uuid('organization_id')
      .primaryKey()
      .references(() => organizations.id),
    /** JSON arrays. */
    optOutKeywords: text('opt_out_keywords').notNull(),
    optInKeywords: text('opt_in_keywords').notNull(),
    optOutReply: text('opt_out_reply'),
    optInReply: text('opt_in_reply'),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
)
