import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../accounts/table'
import { contacts } from '../../contacts/table'
import { messages } from '../table'

/**
 * Reactions by message and who reacted: the newest by platform time counts, one without emoji was
 * taken back. Some wait for their message.
 */
export const messageReactions = sqliteTable(
  'message_reactions',
  {
    organizationId: text('organization_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The platform's id of the message reacted to. */
    targetWaMessageId: text('target_wa_message_id').notNull(),
    reactor: text('reactor', { enum: ['contact', 'user'] }).notNull(),
    /** Who of a group; empty where there is one customer only. */
    participant: text('participant').notNull().default(''),
    /** Set once the message is known. */
    messageId: text('message_id'),
    contactId: text('contact_id').notNull(),
    userId: text('user_id'),
    /** `null`: taken back. */
    emoji: text('emoji'),
    /** The reaction's own id; what the platform repeats has the same. */
    waMessageId: text('wa_message_id'),
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /**
     * What was there before one of ours that is on its way: it comes back when the platform
     * refuses. JSON.
     */
    former: text('former'),
  },
  (table) => [
    primaryKey({
      columns: [
        table.organizationId,
        table.accountId,
        table.targetWaMessageId,
        table.reactor,
        table.participant,
      ],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('message_reactions_contact').on(table.organizationId, table.contactId),
    index('message_reactions_message').on(table.organizationId, table.messageId),
  ],
)
