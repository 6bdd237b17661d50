import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { isUuid } from '../../lib/ids'

/** What is known of a backup; kept beside its files, so that it tells about itself wherever it is carried. */
export interface Manifest {
  id: string
  /** Version of this description. */
  format: 1
  state: 'running' | 'completed' | 'failed'
  label: string | null
  /** Whether it was made because it was time. */
  isAutomatic: boolean
  /** Version of the program that made it. */
  program: string
  startedAtMs: number
  finishedAtMs: number | null
  /** The job that makes it; `null` on the command line. */
  jobId: string | null
  database: { sizeBytes: number; sha256: string; schemaVersion: string; rowCounts: Record<string, number> } | null
  /** Files of messages, imports and exports; `missing` were not there when it was made. They are listed one by one in a file beside. */
  files: { count: number; sizeBytes: number; missing: number } | null
  isVerified: boolean
  /** What went wrong. */
  error: string | null
}

/** The files a backup is made of, in its folder. */
export const PARTS = { manifest: 'manifest.json', database: 'switchboard.sqlite', fileList: 'files.txt', files: 'media' } as const

/** Where a backup lies. */
export const folderOf = (room: string, id: string): string => join(room, id)

/** Writes what is known of a backup into its folder: beside and renamed, so that there is always a whole one. */
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

/** The description in a folder; `null` when there is none, or none of ours. */
export function readManifest(folder: string): Manifest | null {
  try {
    const read = JSON.parse(readFileSync(join(folder, PARTS.manifest), 'utf8')) as Partial<Manifest>
    return read.format === 1 && typeof read.id === 'string' && typeof read.startedAtMs === 'number' ? (read as Manifest) : null
  } catch {
    return null
  }
}

/** The backups in a room, newest first: their ids are in the order of time. */
export function listManifests(room: string): Manifest[] {
  if (!existsSync(room)) return []
  return readdirSync(room)
    .filter(isUuid)
    .toSorted()
    .toReversed()
    .map((name) => readManifest(folderOf(room, name)))
    .filter((manifest) => manifest !== null)
}

/** Deletes a backup. Its description goes last but one: what is left of a deletion that was cut off is a backup still. */
export function removeBackup(room: string, id: string): void {
  rmSync(folderOf(room, id), { recursive: true, force: true })
}
