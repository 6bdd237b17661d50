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

import { uuid } from '../../infra/db/uuid'
import { contacts } from '../contacts/table'

/** Privacy requests: erasures and data exports. The row is also the receipt. */
export const privacyRequests = sqliteTable(
  'privacy_requests',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    kind: text('kind', { enum: ['erase', 'export'] }).notNull(),
    state: text('state', { enum: ['running', 'completed', 'failed', 'expired'] }).notNull(),
    contactId: uuid('contact_id').notNull(),
    reason: text('reason'),
    requestedBy: uuid('requested_by'),
    /** Counts of erased or exported items by place, JSON. */
    counts: text('counts').notNull().default('{}'),
    /** Number of steps that have not finished. */
    partsLeft: integer('parts_left').notNull(),
    /** SHA-256 of the receipt or of the file. */
    sha256: text('sha256'),
    /** Random file name in the data folder; `null` without a file. */
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
