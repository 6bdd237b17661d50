import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { copyFile, link } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Clock } from '../../lib/clock'
import { fileErrorMessage } from '../../lib/file-error'
import type { Db } from '../db/connection'
import type { FileStore } from '../files/store'
import type { CopyFacts, CopyOrder } from './copy-database'
import { folderOf, PARTS, writeManifest, type Manifest } from './manifest'

/** The sources and the destination of a backup. */
export interface BackupDeps {
  db: Db
  files: FileStore
  clock: Clock
  /** Folder of all backups. */
  room: string
  /** Copies and verifies a database without blocking the server. */
  copy: (order: CopyOrder, signal: AbortSignal) => Promise<CopyFacts>
}

/** Properties of a new backup. */
export type BackupOptions = Pick<Manifest, 'id' | 'label' | 'isAutomatic' | 'jobId' | 'program'> & {
  isVerified: boolean
}

/** Returns the manifest of a backup that starts now. */
export const newManifest = (wanted: BackupOptions, startedAtMs: number): Manifest => ({
  id: wanted.id,
  format: 1,
  state: 'running',
  label: wanted.label,
  isAutomatic: wanted.isAutomatic,
  program: wanted.program,
  startedAtMs,
  finishedAtMs: null,
  jobId: wanted.jobId,
  database: null,
  files: null,
  isVerified: false,
  error: null,
})

/**
 * Makes a backup while the server runs: the database as it is at one moment, and the files its rows
 * refer to. Restarts an interrupted backup. Errors are recorded in the returned manifest, and only
 * the manifest remains then. Throws only if `signal` is aborted.
 */
export async function createBackup(
  workshop: BackupDeps,
  wanted: BackupOptions,
  signal: AbortSignal,
): Promise<Manifest> {
  const begun = newManifest(wanted, workshop.clock.nowMs())
  const folder = folderOf(workshop.room, wanted.id)
  clear(folder)
  writeManifest(workshop.room, begun)
  const end = (rest: Partial<Manifest>): Manifest => {
    const manifest = { ...begun, ...rest, finishedAtMs: workshop.clock.nowMs() }
    writeManifest(workshop.room, manifest)
    return manifest
  }
  try {
    // Before the database too, so that files deleted during its copy are already in the backup.
    await linkAll(workshop, folder, signal)
    const facts = await copyDatabase(workshop, join(folder, PARTS.database), {
      isVerified: wanted.isVerified,
      signal,
    })
    const files = await keepReferencedFiles(workshop, folder, facts.files)
    if (facts.problems.length > 0) {
      clear(folder)
      return end({ state: 'failed', error: facts.problems.join('; ') })
    }
    const { sizeBytes, sha256, schemaVersion, rowCounts } = facts
    return end({
      state: 'completed',
      database: { sizeBytes, sha256, schemaVersion, rowCounts },
      files,
      isVerified: wanted.isVerified,
    })
  } catch (error) {
    if (signal.aborted) throw error
    clear(folder)
    return end({
      state: 'failed',
      error: fileErrorMessage(error) ?? (error instanceof Error ? error.message : 'failed'),
    })
  }
}

/** Removes everything of a backup but its description. */
function clear(folder: string): void {
  for (const part of [PARTS.database, PARTS.fileList, PARTS.files])
    rmSync(join(folder, part), { recursive: true, force: true })
}

/** Copies an in-memory database here, because it has only one connection. */
async function copyDatabase(
  { db, copy }: BackupDeps,
  target: string,
  { isVerified, signal }: { isVerified: boolean; signal: AbortSignal },
): Promise<CopyFacts> {
  const { filename } = db.sqlite
  const isFile = filename !== '' && filename !== ':memory:'
  if (!isFile) db.sqlite.run('vacuum into ?', [target])
  return await copy({ source: isFile ? filename : null, target, isVerified }, signal)
}

async function linkAll({ files }: BackupDeps, folder: string, signal: AbortSignal): Promise<void> {
  for await (const { name } of files.list()) {
    signal.throwIfAborted()
    await linkFile(files, folder, name)
  }
}

/**
 * Links a file of the store into the backup, or copies it if the disk cannot link. Files of the
 * store never change. Returns whether the file exists.
 */
async function linkFile(files: FileStore, folder: string, name: string): Promise<boolean> {
  const place = join(folder, PARTS.files, name)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  try {
    await link(files.pathOf(name), place)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EEXIST') return true
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error
  }
  try {
    await copyFile(files.pathOf(name), place)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** Keeps exactly the files that the copied rows refer to, and lists them with their sizes. */
async function keepReferencedFiles(
  workshop: BackupDeps,
  folder: string,
  names: string[],
): Promise<NonNullable<Manifest['files']>> {
  const total = { count: 0, sizeBytes: 0, missing: 0 }
  const handle = openSync(join(folder, PARTS.fileList), 'w', 0o600)
  try {
    for (const name of names) {
      const isHere = await linkFile(workshop.files, folder, name)
      const size = isHere ? statSync(join(folder, PARTS.files, name)).size : null
      if (size === null) total.missing += 1
      else {
        total.count += 1
        total.sizeBytes += size
        writeSync(handle, `${name} ${size}\n`)
      }
    }
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  await deleteOtherFiles(join(folder, PARTS.files), new Set(names))
  return total
}

/** Deletes files that were added or removed while the rows were copied. */
async function deleteOtherFiles(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  if (!existsSync(folder)) return
  for await (const name of new Bun.Glob('*/*').scan({ cwd: folder, onlyFiles: true }))
    if (!wanted.has(name)) rmSync(join(folder, name), { force: true })
}
