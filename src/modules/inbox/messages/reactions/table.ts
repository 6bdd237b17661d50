import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { contacts } from '../../contacts/table'
import { messages } from '../table'

/**
 * Reactions by message and person. The newest by platform time wins; one without an emoji was
 * removed. Some wait for their message.
 */
export const messageReactions = tableWithPeople(
  'message_reactions',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    /** Platform ID of the message reacted to. */
    targetWaMessageId: text('target_wa_message_id').notNull().personal(),
    reactor: text('reactor', { enum: ['contact', 'user'] })
      .notNull()
      .business(),
    /** Group member; empty for a single customer. */
    participant: text('participant').notNull().default('').personal(),
    /** Set once the message is known. */
    messageId: uuid('message_id').business(),
    contactId: uuid('contact_id').notNull().business(),
    userId: uuid('user_id').business(),
    /** `null` if removed. */
    emoji: text('emoji').personal(),
    /** Platform ID of the reaction; the same for repeats. */
    waMessageId: text('wa_message_id').personal(),
    timestampMs: integer('timestamp_ms').notNull().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /**
     * The reaction before an unconfirmed change of ours, restored if the platform rejects it. JSON.
     */
    former: text('former').personal(),
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
