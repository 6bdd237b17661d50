import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { isoTime } from '../../lib/clock'
import type { DataDir } from '../storage-dir'
import { BackupError, unpackArchive } from './archive'
import { flush, inspectDatabase } from './copy'
import { PARTS, readManifest, type Manifest } from './manifest'

/** Opens what lies at a path, a ZIP file or a folder, as a backup; a ZIP file is unpacked into `workshop`. Throws BackupError. */
export async function openBackup(path: string, workshop: string): Promise<{ folder: string; manifest: Manifest }> {
  if (!existsSync(path)) throw new BackupError(`There is no backup at ${path}.`)
  if (!statSync(path).isDirectory()) {
    const folder = join(workshop, 'unpacked')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return { folder, manifest: await unpackArchive(path, folder) }
  }
  const manifest = readManifest(path)
  if (!manifest) throw new BackupError(`The folder ${path} is not a backup: it does not describe itself.`)
  return { folder: path, manifest }
}

/** Proves that a backup is whole: the database is the one that was copied, it is sound, and every file is there. Throws BackupError. */
export async function proveBackup(folder: string, manifest: Manifest): Promise<void> {
  if (manifest.state !== 'completed' || !manifest.database) throw new BackupError(`The backup is ${manifest.state}; choose another.`)
  const path = join(folder, PARTS.database)
  if (!existsSync(path)) throw new BackupError('The backup holds no database.')
  const facts = await inspectDatabase(path, true).catch(() => {
    throw new BackupError('The database of the backup is damaged.')
  })
  if (facts.sha256 !== manifest.database.sha256)
    throw new BackupError('The database of the backup was changed or damaged: its digest differs.')
  if (facts.problems.length > 0) throw new BackupError(`The database of the backup is damaged: ${facts.problems.join('; ')}.`)
  for (const [table, rows] of Object.entries(manifest.database.rowCounts))
    if (facts.rowCounts[table] !== rows) throw new BackupError(`The table ${table} of the backup has not the rows it had.`)
  for (const { name, sizeBytes } of listedFiles(folder)) {
    const place = join(folder, PARTS.files, name)
    if (!existsSync(place) || statSync(place).size !== sizeBytes)
      throw new BackupError(`The file ${name} of the backup is missing or was changed.`)
  }
}

function listedFiles(folder: string): { name: string; sizeBytes: number }[] {
  const path = join(folder, PARTS.fileList)
  if (!existsSync(path)) throw new BackupError('The list of files of the backup is missing.')
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', size = ''] = line.split(' ')
      return { name, sizeBytes: Number(size) }
    })
}

/** Where a restore works before anything of the data folder is touched; while it is there the folder is not whole. */
export const workshopIn = (dir: DataDir): string => join(dir.path, 'restoring')

/** Brings a proven backup into the workshop; returns the path of its database there, which may be changed. */
export function stageBackup(folder: string, workshop: string): string {
  const place = join(workshop, 'ready')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const database = join(place, PARTS.database)
  copyFileSync(join(folder, PARTS.database), database)
  for (const { name } of listedFiles(folder)) {
    const target = join(place, PARTS.files, name)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    try {
      linkSync(join(folder, PARTS.files, name), target)
    } catch {
      copyFileSync(join(folder, PARTS.files, name), target)
    }
  }
  return database
}

/** Parts of a data folder that a restore replaces. */
const REPLACED = [`${PARTS.database}-wal`, `${PARTS.database}-shm`, PARTS.database, PARTS.files]

/**
 * Puts what was staged in the place of what is there, which stays beside it as `*.before-restore`. The database comes last: as long as it is
 * missing, the workshop keeps a server from starting. Returns what the former parts are called now.
 */
export function swapIn(dir: DataDir, nowMs: number): string[] {
  const workshop = workshopIn(dir)
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
  for (const name of [PARTS.files, PARTS.database]) if (existsSync(join(ready, name))) renameSync(join(ready, name), join(dir.path, name))
  flush(dir.path)
  rmSync(workshop, { recursive: true, force: true })
  return former
}

/** Writes what is still in the log of the former database into it; where that cannot be, the log is kept beside it. */
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
