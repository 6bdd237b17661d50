import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { isUuid } from '../../lib/ids'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Epoch milliseconds within the range of dates. */
const Instant = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })

const Manifest = Type.Object(
  {
    id: Type.String({ maxLength: 36 }),
    /** Version of this description. */
    format: Type.Literal(1),
    state: Type.Union([Type.Literal('running'), Type.Literal('completed'), Type.Literal('failed')]),
    label: orNull(Type.String()),
    /** Whether it was made by the schedule. */
    isAutomatic: Type.Boolean(),
    /** Version of the program that made it. */
    program: Type.String(),
    startedAtMs: Instant,
    finishedAtMs: orNull(Instant),
    /** The job that makes it; `null` for a command. */
    jobId: orNull(Type.String()),
    database: orNull(
      Type.Object({
        sizeBytes: Count,
        sha256: Type.String(),
        schemaVersion: Type.String(),
        rowCounts: Type.Record(Type.String(), Count),
      }),
    ),
    /**
     * Files of messages, imports and exports. `missing` ones did not exist at the time. A separate
     * file lists them one by one.
     */
    files: orNull(Type.Object({ count: Count, sizeBytes: Count, missing: Count })),
    isVerified: Type.Boolean(),
    /** The job that verifies it again, since the last time that a person asked for it. */
    verifyJobId: Type.Optional(orNull(Type.String())),
    /** The error, if it failed. */
    error: orNull(Type.String()),
  },
  { additionalProperties: false },
)

/** The description of a backup. It is stored beside its files, so that it stays with them. */
export type Manifest = Static<typeof Manifest>

/** File names in the folder of a backup. */
export const PARTS = {
  manifest: 'manifest.json',
  database: 'switchboard.sqlite',
  fileList: 'files.txt',
  files: 'media',
} as const

/** Returns the folder of a backup. */
export const folderOf = (room: string, id: string): string => join(room, id)

/**
 * Writes a manifest into the folder of its backup, under another name first, so that it is never
 * partial.
 */
export function writeManifest(room: string, manifest: Manifest): void {
  const folder = folderOf(room, manifest.id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, PARTS.manifest)
  const handle = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(manifest, null, 2)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(`${path}.new`, path)
  flushFolder(folder)
  flushFolder(dirname(folder))
}

function flushFolder(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** No description of a backup is larger: it names each table of a database once. */
const MAX_BYTES = 1024 * 1024

/** Returns the manifest in a folder; `null` if there is none, or no valid one. */
export function readManifest(folder: string): Manifest | null {
  const path = join(folder, PARTS.manifest)
  try {
    const found = lstatSync(path)
    const read: unknown =
      !found.isFile() || found.size > MAX_BYTES ? null : JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(Manifest, read) && isUuid(read.id) ? read : null
  } catch {
    return null
  }
}

/** Returns the backups in a folder, newest first. Their IDs are in the order of time. */
export function listManifests(room: string): Manifest[] {
  if (!existsSync(room)) return []
  return readdirSync(room)
    .filter(isUuid)
    .toSorted()
    .toReversed()
    .flatMap((name) => {
      const manifest = readManifest(folderOf(room, name))
      return manifest?.id === name ? [manifest] : []
    })
}

/**
 * Deletes a backup, its manifest first: an interrupted deletion leaves no backup that is listed as
 * whole, only files that `pruneBackups` deletes.
 */
export function removeBackup(room: string, id: string): void {
  const folder = folderOf(room, id)
  rmSync(join(folder, PARTS.manifest), { force: true })
  rmSync(folder, { recursive: true, force: true })
}
