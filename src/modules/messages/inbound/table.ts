import { sql } from 'drizzle-orm'
import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../accounts/table'
import { contacts } from '../../contacts/table'

/**
 * Ledger of edits and revokes, and of what a message said at first; its content is derived from it,
 * so order and repetition do not matter.
 */
export const messageRevisions = sqliteTable(
  'message_revisions',
  {
    organizationId: text('organization_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The platform's id of the message changed. */
    targetWaMessageId: text('target_wa_message_id').notNull(),
    /** The revision's own id; `original` for what was said at first. */
    waMessageId: text('wa_message_id').notNull(),
    kind: text('kind', { enum: ['original', 'edit', 'revoke'] }).notNull(),
    /**
     * Type and content it gives the message, JSON `{type, content, media_id}`; `null` of a revoke,
     * and of all once one is known.
     */
    content: text('content'),
    /** The item as it came, kept while its message is not known, JSON. */
    raw: text('raw'),
    contactId: text('contact_id').notNull(),
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /** Since when it waits for its message; `null` once it was applied. */
    parkedAtMs: integer('parked_at_ms'),
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
    index('message_revisions_parked')
      .on(table.parkedAtMs)
      .where(sql`${table.parkedAtMs} is not null`),
  ],
)
