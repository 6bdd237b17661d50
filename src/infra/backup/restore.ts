import { Database } from 'bun:sqlite'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { isoTime } from '../../lib/clock'
import { shutToOthers, type DataDir } from '../data-dir'
import { BackupError, unpackArchive } from './archive'
import { flush, inspectDatabase } from './copy-database'
import { PARTS, readManifest, type Manifest } from './manifest'
import { FILE_NAME, listedFiles, requireOwnSchema } from './verify'

/**
 * Opens what lies at a path as a backup: a folder, a ZIP file, which is unpacked into the workshop,
 * or a database alone, as tools that copy it continuously give back; the files of messages are then
 * those that lie in the data folder. Throws BackupError.
 */
export async function openBackup(
  path: string,
  dir: DataDir,
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
        manifest: await describeDatabase(path, { folder, files: join(dir.path, PARTS.files) }),
      }
    return { folder, manifest: await unpackArchive(path, folder) }
  }
  const manifest = readManifest(path)
  if (!manifest)
    throw new BackupError(`${path} is not a backup: the manifest is missing or damaged.`)
  return { folder: path, manifest }
}

/** Whether nothing is there; what may not be looked at is there. */
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

/**
 * Makes a backup of a database alone. A journal that lies beside it belongs to it and is worked in.
 */
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
  settleFormer(target)
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
 * A second name of a file of this user, which nobody else can change then; a copy of what belongs
 * to somebody else, or lies on another disk.
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
 * Where a restore works before anything of the data folder is touched; while it is there the folder
 * is not whole.
 */
export const restoreWorkDir = (dir: DataDir): string => join(dir.path, 'restoring')

/**
 * Brings a proven backup into the workshop; returns the path of its database there, which may be
 * changed.
 */
export function stageBackup(folder: string, workshop: string): string {
  const place = join(workshop, 'ready')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const database = join(place, PARTS.database)
  copyFileSync(join(folder, PARTS.database), database)
  shutToOthers(database)
  for (const { name } of listedFiles(folder)) {
    const target = join(place, PARTS.files, name)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    linkOrCopy(join(folder, PARTS.files, name), target)
  }
  return database
}

/** Parts of a data folder that a restore replaces. */
const REPLACED = [`${PARTS.database}-wal`, `${PARTS.database}-shm`, PARTS.database, PARTS.files]

/**
 * Puts what was staged in the place of what is there, which stays beside it as `*.before-restore`.
 * The database comes last: as long as it is missing, the workshop keeps a server from starting.
 * Returns what the former parts are called now.
 */
export function swapIn(dir: DataDir, nowMs: number): string[] {
  const workshop = restoreWorkDir(dir)
  const ready = join(workshop, 'ready')
  flush(join(ready, PARTS.database))
  settleFormer(dir.databasePath)
  const mark = isoTime(nowMs).slice(0, 19).replaceAll(/[-:]/g, '')
  const former: string[] = []
  for (const name of REPLACED) {
    if (!existsSync(join(dir.path, name))) continue
    const kept = `${name}.${mark}.before-restore`
    renameSync(join(dir.path, name), join(dir.path, kept))
    former.push(kept)
  }
  for (const name of [PARTS.files, PARTS.database])
    if (existsSync(join(ready, name))) renameSync(join(ready, name), join(dir.path, name))
  flush(dir.path)
  rmSync(workshop, { recursive: true, force: true })
  return former
}

/**
 * Writes what is still in the log of the former database into it; where that cannot be, the log is
 * kept beside it.
 */
function settleFormer(path: string): void {
  if (!existsSync(path)) return
  try {
    const database = new Database(path, { strict: true })
    database.run('pragma wal_checkpoint(truncate)')
    database.close()
  } catch {
    // It may be what the restore is for.
  }
}
