import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import type { Manifest } from '../../../../infra/backup/manifest'

const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Properties of a new backup. */
export const NewBackup = Type.Object(
  {
    verify: Type.Optional(
      Type.Boolean({ description: 'Whether to verify the copy. Defaults to `true`.' }),
    ),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  { title: 'BackupInput', examples: [{ label: 'Before the move', verify: true }] },
)
export type NewBackup = Static<typeof NewBackup>

/** A backup of the whole installation. */
export const BackupView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    state: Type.String({ enum: ['running', 'completed', 'failed'] }),
    label: textOrNull,
    automatic: Type.Boolean({
      description:
        'Whether the backup was created automatically. Automatic backups are deleted as newer ' +
        'ones are created.',
    }),
    size_bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Size of database and files.',
    }),
    sha256: Type.Union([Type.String(), Type.Null()], { description: 'Checksum of the database.' }),
    schema_version: textOrNull,
    started_at: Time,
    finished_at: Type.Union([Time, Type.Null()]),
    verified: Type.Boolean({
      description: 'Whether the copy was opened and its structure and references were verified.',
    }),
    verifying: Type.Boolean({ description: 'Whether it is being verified again.' }),
    row_counts: Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], {
      description: 'Number of rows by table.',
    }),
    files: Type.Union(
      [
        Type.Object({
          count: Type.Integer(),
          size_bytes: Type.Integer(),
          missing: Type.Integer({
            description: 'Number of files that rows refer to but that were missing.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Media, import and export files.' },
    ),
    error: textOrNull,
  },
  { title: 'Backup' },
)
export type BackupView = Static<typeof BackupView>

/** A backup as the API answers it. */
export const backupView = (manifest: Manifest, isBeingVerified = false): BackupView => ({
  id: manifest.id,
  state: manifest.state,
  label: manifest.label,
  automatic: manifest.isAutomatic,
  size_bytes: manifest.database && manifest.database.sizeBytes + (manifest.files?.sizeBytes ?? 0),
  sha256: manifest.database?.sha256 ?? null,
  schema_version: manifest.database?.schemaVersion ?? null,
  started_at: isoTime(manifest.startedAtMs),
  finished_at: isoTimeOrNull(manifest.finishedAtMs),
  verified: manifest.isVerified,
  verifying: isBeingVerified,
  row_counts: manifest.database?.rowCounts ?? null,
  files: manifest.files && {
    count: manifest.files.count,
    size_bytes: manifest.files.sizeBytes,
    missing: manifest.files.missing,
  },
  error: manifest.error,
})
