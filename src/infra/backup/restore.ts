import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { restrictToOwner, type DataDir } from '../data-dir'
import { BackupError, unpackArchive, WHAT_A_BACKUP_IS } from './archive'
import { inspectDatabase } from './copy-database'
import { PARTS, readManifest, type Manifest } from './manifest'
import { applyLog, restoreWorkDir } from './swap'
import { FILE_NAME, listedFiles, requireOwnSchema } from './verify'

/**
 * Opens a path as a backup: a folder, a ZIP file, which is unpacked into the work folder, or only a
 * database, as continuous replication tools restore it. In the last case the media files are those
 * in `media`, by default those in the data folder. Throws BackupError.
 */
export async function openBackup(
  path: string,
  dir: DataDir,
  media = join(dir.path, PARTS.files),
): Promise<{ folder: string; manifest: Manifest }> {
  if (isMissing(path)) throw new BackupError(`There is no backup at ${path}.`)
  for (const part of [path, join(path, PARTS.manifest), join(path, PARTS.database)])
    if (!isMissing(part)) accessSync(part, constants.R_OK)
  if (!statSync(path).isDirectory()) {
    if (!statSync(path).isFile())
      throw new BackupError(`${path} is neither a directory nor a regular file.`)
    const folder = join(restoreWorkDir(dir), 'unpacked')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (await isDatabase(path))
      return {
        folder,
        manifest: await describeDatabase(path, { folder, files: media }),
      }
    return { folder, manifest: await unpackArchive(path, folder) }
  }
  const manifest = readManifest(path)
  if (!manifest)
    throw new BackupError(
      `${path} is not a backup: the manifest is missing or damaged. ${WHAT_A_BACKUP_IS}`,
    )
  return { folder: path, manifest }
}

/** Whether nothing exists at a path. A path that cannot be read exists. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return true
    throw error
  }
}

const isDatabase = async (path: string): Promise<boolean> =>
  (await Bun.file(path).slice(0, 15).text()) === 'SQLite format 3'

/** Creates a backup of only a database. A log beside it belongs to it and is applied. */
async function describeDatabase(
  path: string,
  { folder, files }: { folder: string; files: string },
): Promise<Manifest> {
  const target = join(folder, PARTS.database)
  for (const part of ['', '-wal']) {
    if (!existsSync(path + part)) continue
    if (!lstatSync(path + part).isFile())
      throw new BackupError(`${path + part} is not a regular file.`)
    copyFileSync(path + part, target + part)
  }
  applyLog(target)
  requireOwnSchema(target)
  const startedAtMs = statSync(path).mtimeMs
  const facts = await inspectDatabase(target, false).catch(() => {
    throw new BackupError(`${path} is damaged or is not a Switchboard database.`)
  })
  const here = facts.files.filter((name) => FILE_NAME.test(name) && existsSync(join(files, name)))
  for (const name of here) {
    mkdirSync(dirname(join(folder, PARTS.files, name)), { recursive: true, mode: 0o700 })
    linkOrCopy(join(files, name), join(folder, PARTS.files, name))
  }
  const lines = here.map((name) => ({ name, size: statSync(join(files, name)).size }))
  writeFileSync(
    join(folder, PARTS.fileList),
    lines.map(({ name, size }) => `${name} ${size}\n`).join(''),
  )
  const { sizeBytes, sha256, schemaVersion, rowCounts } = facts
  return {
    id: '',
    format: 1,
    state: 'completed',
    label: null,
    isAutomatic: false,
    program: '',
    startedAtMs,
    finishedAtMs: startedAtMs,
    jobId: null,
    database: { sizeBytes, sha256, schemaVersion, rowCounts },
    files: {
      count: here.length,
      sizeBytes: lines.reduce((sum, { size }) => sum + size, 0),
      missing: facts.files.length - here.length,
    },
    isVerified: false,
    error: null,
  }
}

/**
 * Links a file of this user, which nobody else can change then. Copies a file of another user or on
 * another disk.
 */
function linkOrCopy(from: string, to: string): void {
  try {
    if (statSync(from).uid === process.getuid?.()) return linkSync(from, to)
  } catch {
    // Then it is copied.
  }
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

/**
 * Copies a verified backup into the work folder. Returns the path of its database there, which may
 * be changed.
 */
export function stageBackup(folder: string, workshop: string): string {
  const place = join(workshop, 'ready')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const database = join(place, PARTS.database)
  copyFileSync(join(folder, PARTS.database), database)
  restrictToOwner(database)
  for (const { name } of listedFiles(folder)) {
    const target = join(place, PARTS.files, name)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    linkOrCopy(join(folder, PARTS.files, name), target)
  }
  return database
}
