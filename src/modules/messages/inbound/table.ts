import { sql } from 'drizzle-orm'
import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../accounts/table'
import { contacts } from '../../contacts/table'

/**
 * Edits, deletions and original versions of messages. The content is derived from them, so order
 * and repetition do not matter.
 */
export const messageRevisions = sqliteTable(
  'message_revisions',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Platform ID of the changed message. */
    targetWaMessageId: text('target_wa_message_id').notNull(),
    /** Platform ID of the edit or deletion; `original` for the first version. */
    waMessageId: text('wa_message_id').notNull(),
    kind: text('kind', { enum: ['original', 'edit', 'revoke'] }).notNull(),
    /**
     * JSON `{type, content, media_id}`; `null` for a deletion, and for all versions of a deleted
     * message.
     */
    content: text('content'),
    /** The raw platform item, kept until its message is known, JSON. */
    raw: text('raw'),
    contactId: uuid('contact_id').notNull(),
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /** Waiting for its message since; `null` once applied. */
    pendingSinceMs: integer('pending_since_ms'),
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
