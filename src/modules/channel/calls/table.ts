import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'
import { contacts } from '../../inbox/contacts/table'
import { media } from '../media/table'

/**
 * Calls between a contact and a phone number, as the platform reports them. A call belongs to the
 * conversation of its contact and number. Each stage has a time; the state follows from them.
 */
export const calls = tableWithPeople(
  'calls',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    /** The platform's ID of the call. */
    waCallId: text('wa_call_id').notNull().personal(),
    direction: text('direction', { enum: ['incoming', 'outgoing'] })
      .notNull()
      .business(),
    state: text('state', {
      enum: ['ringing', 'accepted', 'ended', 'missed', 'rejected', 'failed'],
    })
      .notNull()
      .business(),
    /** Where the call stands in its thread: its first report, by the platform's time. */
    timestampMs: integer('timestamp_ms').notNull().business(),
    /** Platform times of the stages that were reported. */
    connectAtMs: integer('connect_at_ms').business(),
    acceptedAtMs: integer('accepted_at_ms').business(),
    rejectedAtMs: integer('rejected_at_ms').business(),
    endedAtMs: integer('ended_at_ms').business(),
    /** How the platform says it ended; `UNREPORTED` if it never did. */
    endStatus: text('end_status').business(),
    /** When it was picked up, if the platform said so at the end. */
    startedAtMs: integer('started_at_ms').business(),
    durationSeconds: integer('duration_seconds').business(),
    /** The first error of a failed call, JSON. */
    error: text('error').personal(),
    recordingMediaId: uuid('recording_media_id').personal(),
    transcriptMediaId: uuid('transcript_media_id').personal(),
    /** When a person read a missed call. Calls of blocked contacts are read from the start. */
    readAtMs: integer('read_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.recordingMediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.transcriptMediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    check('calls_duration', sql`${table.durationSeconds} is null or ${table.durationSeconds} >= 0`),
    uniqueIndex('calls_platform_id').on(table.organizationId, table.accountId, table.waCallId),
    index('calls_of_contact').on(
      table.organizationId,
      table.contactId,
      table.timestampMs,
      table.id,
    ),
    index('calls_recent').on(table.organizationId, table.timestampMs, table.id),
    index('calls_recent_in').on(table.organizationId, table.state, table.timestampMs, table.id),
    index('calls_recent_on').on(table.organizationId, table.accountId, table.timestampMs, table.id),
    index('calls_unread')
      .on(table.organizationId, table.contactId, table.accountId)
      .where(
        sql`${table.direction} = 'incoming' and ${table.state} = 'missed' and ${table.readAtMs} is null`,
      ),
    index('calls_with_recording')
      .on(table.organizationId, table.recordingMediaId)
      .where(sql`${table.recordingMediaId} is not null`),
    index('calls_with_transcript')
      .on(table.organizationId, table.transcriptMediaId)
      .where(sql`${table.transcriptMediaId} is not null`),
    index('calls_of_age').on(table.organizationId, table.createdAtMs, table.id),
  ],
)
