import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { organizationArchives } from './table'

/** The page of the web client that lists archives. */
export const ARCHIVES = '/settings/archives'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])

/** Shortest passphrase, characters. */
export const MIN_PASSPHRASE = 12
const MAX_PASSPHRASE = 1_024

/** A new archive of an organization. */
export const NewArchive = Type.Object(
  {
    passphrase: Type.Optional(
      Type.String({
        minLength: MIN_PASSPHRASE,
        maxLength: MAX_PASSPHRASE,
        description:
          'Encrypts the secrets in the archive: tokens, keys and password hashes. Without it, they ' +
          'stay behind. It is not stored, so keep it.',
      }),
    ),
    include_media: Type.Optional(
      Type.Boolean({ description: 'Whether to include files. Defaults to `true`.' }),
    ),
    include_events: Type.Optional(
      Type.Literal('none', { description: 'The event log is never included.' }),
    ),
  },
  { title: 'ArchiveInput', examples: [{ passphrase: 'correct horse battery staple' }] },
)
export type NewArchive = Static<typeof NewArchive>

/** Counts of a written archive. */
const Counts = Type.Object({
  rows: Type.Integer(),
  files: Type.Integer(),
  missing_files: Type.Integer({ description: 'Files that no longer existed.' }),
  secrets_left: Type.Integer({ description: 'Secrets that stayed behind.' }),
})
export type ArchiveCounts = Static<typeof Counts>

/** An archive of an organization as the API shows it. */
export const ArchiveView = Type.Object(
  {
    id: Uuid,
    status: Type.String({ enum: ['queued', 'running', 'completed', 'failed', 'expired'] }),
    include_media: Type.Boolean(),
    has_secrets: Type.Boolean({ description: 'Whether a passphrase encrypts its secrets.' }),
    bytes: Type.Union([Type.Integer(), Type.Null()]),
    counts: Type.Union([Counts, Type.Null()]),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
    created_by: Type.Union([Uuid, Type.Null()]),
    created_at: Time,
    finished_at: timeOrNull,
    expires_at: Type.Union([Time, Type.Null()], {
      description: 'It can be downloaded until then, for seven days.',
    }),
  },
  { title: 'OrganizationArchive' },
)
export type ArchiveView = Static<typeof ArchiveView>

export type ArchiveRow = typeof organizationArchives.$inferSelect

/** Returns an archive as the API shows it. */
export const archiveView = (row: ArchiveRow): ArchiveView => ({
  id: row.id,
  status: row.status,
  include_media: row.hasFiles,
  has_secrets: row.encryption !== null,
  bytes: row.bytes,
  counts: row.counts === null ? null : (JSON.parse(row.counts) as ArchiveCounts),
  error: row.error,
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
  expires_at: isoTimeOrNull(row.expiresAtMs),
})
