import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'
import { organizations } from '../../organization/organizations/table'

const EXPORTED = 'it identifies the file, which is exported'

/** Media files: uploads, downloads from URLs and incoming files. */
export const media = tableWithPeople(
  'media',
  { of: 'contacts', erased: 'columns' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    origin: text('origin', {
      enum: ['upload', 'url', 'inbound', 'phone_app', 'qr_code'],
    })
      .notNull()
      .business(),
    kind: text('kind', { enum: ['image', 'video', 'audio', 'document', 'sticker'] })
      .notNull()
      .business(),
    state: text('state', { enum: ['pending', 'ready', 'failed', 'expired'] })
      .notNull()
      .business(),
    mimeType: text('mime_type').business(),
    /** Original filename; never the name on disk. */
    filename: text('filename').personal(),
    sizeBytes: integer('size_bytes').business(),
    /** Hex, of the bytes on disk. */
    sha256: text('sha256').personal({ withheld: EXPORTED }),
    width: integer('width').business(),
    height: integer('height').business(),
    durationMs: integer('duration_ms').business(),
    /** Audio channels, if known; a voice note has one. */
    channels: integer('channels').business(),
    /** Whether a sticker is animated. */
    isAnimated: integer('is_animated', { mode: 'boolean' }).notNull().default(false).business(),
    /** Random name on disk; `null` while there is no file. */
    storedAs: text('stored_as').personal({ withheld: EXPORTED }),
    /** For QR codes and incoming files: phone number. */
    accountId: uuid('account_id').business(),
    /** For incoming files: platform ID and checksum (base64). */
    platformMediaId: text('platform_media_id').personal({ withheld: EXPORTED }),
    platformSha256: text('platform_sha256').personal({ withheld: EXPORTED }),
    attempts: integer('attempts').notNull().default(0).business(),
    /** `{code, message}`, JSON. */
    lastError: text('last_error').business(),
    uploadedBy: uuid('uploaded_by').business(),
    /** When an unused upload expires. */
    expiresAtMs: integer('expires_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check('media_stored', sql`(${table.state} = 'ready') = (${table.storedAs} is not null)`),
    index('media_expiring')
      .on(table.expiresAtMs)
      .where(sql`${table.expiresAtMs} is not null`),
    index('media_age')
      .on(table.organizationId, table.createdAtMs, table.id)
      .where(sql`${table.state} = 'ready'`),
    index('media_waiting')
      .on(table.createdAtMs)
      .where(sql`${table.state} = 'pending'`),
    index('media_qr_codes')
      .on(table.organizationId, table.accountId)
      .where(sql`${table.origin} = 'qr_code'`),
    index('media_stored_as')
      .on(table.storedAs)
      .where(sql`${table.storedAs} is not null`),
  ],
)

/** Platform IDs of uploaded files by phone number, valid for 30 days. */
export const mediaUploads = storedByKey(
  tableWithoutPeople(
    'media_uploads',
    'ids of the platform, which go with their file',
    {
      organizationId: uuid('organization_id').notNull(),
      mediaId: uuid('media_id').notNull(),
      accountId: uuid('account_id').notNull(),
      platformMediaId: text('platform_media_id').notNull(),
      uploadedAtMs: integer('uploaded_at_ms').notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.mediaId, table.accountId] }),
      foreignKey({
        columns: [table.organizationId, table.mediaId],
        foreignColumns: [media.organizationId, media.id],
      }),
      foreignKey({
        columns: [table.organizationId, table.accountId],
        foreignColumns: [accounts.organizationId, accounts.id],
      }),
    ],
  ),
)

/** Phone numbers whose downloads are paused after failures. */
export const mediaBreakers = tableWithoutPeople(
  'media_breakers',
  'failures of downloads',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** Failures in a row. */
    failures: integer('failures').notNull(),
    openUntilMs: integer('open_until_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)
