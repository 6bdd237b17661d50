import { sql } from 'drizzle-orm'
import { check, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** Archives of organizations, written by a job and kept for a week. */
export const organizationArchives = tableWithoutPeople(
  'organization_archives',
  'settings, states and counts of files that are deleted',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    status: text('status', {
      enum: ['queued', 'running', 'completed', 'failed', 'expired'],
    }).notNull(),
    hasFiles: integer('has_files', { mode: 'boolean' }).notNull(),
    /** How the key is derived from the passphrase, JSON; `null` without one. */
    encryption: text('encryption'),
    /** The derived key, encrypted; `null` without a passphrase and when the archive has ended. */
    keySealed: text('key_sealed'),
    /** Of whom password hashes are written (`ArchiveOrder`). */
    credentials: text('credentials', { enum: ['managed', 'all'] }).notNull(),
    /** Random file name in the data folder; `null` without a file. */
    storedAs: text('stored_as'),
    bytes: integer('bytes'),
    /** `{rows, files, missing_files, secrets_left}`, JSON; `null` until it is written. */
    counts: text('counts'),
    /** Why it failed, a sentence. */
    error: text('error'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When its last run began. */
    startedAtMs: integer('started_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
    expiresAtMs: integer('expires_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('organization_archives_recent').on(table.organizationId, table.createdAtMs, table.id),
    index('organization_archives_expiring')
      .on(table.expiresAtMs)
      .where(sql`${table.storedAs} is not null`),
    check(
      'organization_archives_file',
      sql`(${table.status} = 'completed') = (${table.storedAs} is not null)`,
    ),
    check(
      'organization_archives_key',
      sql`${table.keySealed} is null or ${table.status} in ('queued', 'running')`,
    ),
  ],
)
