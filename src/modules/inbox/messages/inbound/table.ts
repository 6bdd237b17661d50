import { sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { contacts } from '../../contacts/table'

/**
 * Edits, deletions and original versions of messages. The content is derived from them, so order
 * and repetition do not matter.
 */
export const messageRevisions = tableWithPeople(
  'message_revisions',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    /** Platform ID of the changed message. */
    targetWaMessageId: text('target_wa_message_id').notNull().personal(),
    /** Platform ID of the edit or deletion; `original` for the first version. */
    waMessageId: text('wa_message_id').notNull().personal(),
    kind: text('kind', { enum: ['original', 'edit', 'revoke'] })
      .notNull()
      .business(),
    /**
     * JSON `{type, content, media_id}`; `null` for a deletion, and for all versions of a deleted
     * message.
     */
    content: text('content').personal(),
    /** The raw platform item, kept until its message is known, JSON. */
    raw: text('raw').personal(),
    contactId: uuid('contact_id').notNull().business(),
    timestampMs: integer('timestamp_ms').notNull().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /** Waiting for its message since; `null` once applied. */
    pendingSinceMs: integer('pending_since_ms').business(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.accountId, table.targetWaMessageId, table.waMessageId],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('message_revisions_contact').on(table.organizationId, table.contactId),
    index('message_revisions_pending')
      .on(table.pendingSinceMs)
      .where(sql`${table.pendingSinceMs} is not null`),
  ],
)
