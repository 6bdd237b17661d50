import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../accounts/table'
import { contacts } from '../../contacts/table'
import { messages } from '../table'

/**
 * Reactions by message and person. The newest by platform time wins; one without an emoji was
 * removed. Some wait for their message.
 */
export const messageReactions = sqliteTable(
  'message_reactions',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Platform ID of the message reacted to. */
    targetWaMessageId: text('target_wa_message_id').notNull(),
    reactor: text('reactor', { enum: ['contact', 'user'] }).notNull(),
    /** Group member; empty for a single customer. */
    participant: text('participant').notNull().default(''),
    /** Set once the message is known. */
    messageId: uuid('message_id'),
    contactId: uuid('contact_id').notNull(),
    userId: uuid('user_id'),
    /** `null` if removed. */
    emoji: text('emoji'),
    /** Platform ID of the reaction; the same for repeats. */
    waMessageId: text('wa_message_id'),
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /**
     * The reaction before an unconfirmed change of ours, restored if the platform rejects it. JSON.
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
