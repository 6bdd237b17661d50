import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../contacts/table'
import { media } from '../../channel/media/table'

/** The states of a scheduled message. All but the first are final. */
export const SCHEDULED_STATES = ['scheduled', 'sent', 'failed', 'cancelled'] as const

/** Messages to send at a time. Ended ones are kept for 7 days. */
export const scheduledMessages = tableWithPeople(
  'scheduled_messages',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    /** The contact when it was written, so that undoing a merge gives the message back. */
    writtenForId: uuid('written_for_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    /** The body of a send, JSON. */
    message: text('message').notNull().personal(),
    /** Fields of the template that is sent if the 24-hour window is closed by then, JSON. */
    fallbackTemplate: text('fallback_template').personal(),
    /** IDs of files that were fetched for the message and the template, JSON. */
    storedFiles: text('stored_files').notNull().business(),
    sendAtMs: integer('send_at_ms').notNull().business(),
    cancelsOnReply: integer('cancels_on_reply', { mode: 'boolean' }).notNull().business(),
    state: text('state', { enum: SCHEDULED_STATES }).notNull().business(),
    messageId: uuid('message_id').business(),
    isFallbackSent: integer('is_fallback_sent', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    /** Why it failed, JSON: code and message. */
    error: text('error').personal(),
    createdBy: uuid('created_by').business(),
    createdByKey: uuid('created_by_key').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
    endedAtMs: integer('ended_at_ms').business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.writtenForId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check(
      'scheduled_messages_ended',
      sql`(${table.state} = 'scheduled') = (${table.endedAtMs} is null)`,
    ),
    check(
      'scheduled_messages_sent',
      sql`(${table.state} = 'sent') = (${table.messageId} is not null)`,
    ),
    check(
      'scheduled_messages_failed',
      sql`(${table.state} = 'failed') = (${table.error} is not null)`,
    ),
    index('scheduled_messages_times').on(table.organizationId, table.sendAtMs, table.id),
    index('scheduled_messages_of_author').on(
      table.organizationId,
      table.createdBy,
      table.sendAtMs,
      table.id,
    ),
    index('scheduled_messages_of_contact').on(
      table.organizationId,
      table.contactId,
      table.sendAtMs,
      table.id,
    ),
    index('scheduled_messages_open')
      .on(table.organizationId, table.contactId)
      .where(sql`${table.state} = 'scheduled'`),
    index('scheduled_messages_open_of_account')
      .on(table.organizationId, table.accountId)
      .where(sql`${table.state} = 'scheduled'`),
    index('scheduled_messages_age')
      .on(table.endedAtMs)
      .where(sql`${table.endedAtMs} is not null`),
  ],
)

/** Files of scheduled messages that have not ended. They are kept meanwhile. */
export const scheduledFiles = tableWithoutPeople(
  'scheduled_files',
  'ids; they go with their message',
  {
    organizationId: uuid('organization_id').notNull(),
    scheduledId: uuid('scheduled_id').notNull(),
    mediaId: uuid('media_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.scheduledId, table.mediaId] }),
    foreignKey({
      columns: [table.organizationId, table.scheduledId],
      foreignColumns: [scheduledMessages.organizationId, scheduledMessages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    index('scheduled_files_media').on(table.organizationId, table.mediaId),
  ],
)
