import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { contacts } from '../../inbox/contacts/table'

/** Privacy requests: erasures and data exports. The row is also the receipt. */
export const privacyRequests = tableWithPeople(
  'privacy_requests',
  { of: 'contacts', erased: 'columns' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    kind: text('kind', { enum: ['erase', 'export'] })
      .notNull()
      .business(),
    state: text('state', { enum: ['running', 'completed', 'failed', 'expired'] })
      .notNull()
      .business(),
    contactId: uuid('contact_id').notNull().business(),
    reason: text('reason').personal(),
    requestedBy: uuid('requested_by').business(),
    /** Counts of erased or exported items by place, JSON. */
    counts: text('counts').notNull().default('{}').business(),
    /** Number of steps that have not finished. */
    partsLeft: integer('parts_left').notNull().business(),
    /** SHA-256 of the receipt or of the file. */
    sha256: text('sha256').business(),
    /** Random file name in the data folder; `null` without a file. */
    storedAs: text('stored_as').personal({ withheld: 'it names a former export' }),
    bytes: integer('bytes').business(),
    error: text('error').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    completedAtMs: integer('completed_at_ms').business(),
    expiresAtMs: integer('expires_at_ms').business(),
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
