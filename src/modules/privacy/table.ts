import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { contacts } from '../contacts/table'

/**
 * What people asked to be done with what is kept about them: erased, or handed to them. The row is
 * the receipt.
 */
export const privacyRequests = sqliteTable(
  'privacy_requests',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    kind: text('kind', { enum: ['erase', 'export'] }).notNull(),
    state: text('state', { enum: ['running', 'completed', 'failed', 'expired'] }).notNull(),
    contactId: text('contact_id').notNull(),
    reason: text('reason'),
    requestedBy: text('requested_by'),
    /** How many of what were erased or written, JSON. */
    counts: text('counts').notNull().default('{}'),
    /** Parts of the work that have not ended yet. */
    partsLeft: integer('parts_left').notNull(),
    /** Of the receipt, or of the file. */
    sha256: text('sha256'),
    /** Random name of the file below the data folder; `null` while there is none. */
    storedAs: text('stored_as'),
    bytes: integer('bytes'),
    error: text('error'),
    createdAtMs: integer('created_at_ms').notNull(),
    completedAtMs: integer('completed_at_ms'),
    expiresAtMs: integer('expires_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    check(
      'privacy_requests_ended',
      sql`(${table.state} = 'running') = (${table.completedAtMs} is null)`,
    ),
    index('privacy_requests_recent').on(table.organizationId, table.createdAtMs, table.id),
    uniqueIndex('privacy_requests_open')
      .on(table.organizationId, table.contactId)
      .where(sql`${table.state} = 'running'`),
    index('privacy_requests_expiring')
      .on(table.expiresAtMs)
      .where(sql`${table.storedAs} is not null`),
  ],
)
