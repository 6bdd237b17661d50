import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'

import type { Clock } from './lib/clock'
import { restoreWorkDir } from './infra/backup/swap'
import { upgradeCopyName } from './infra/backup/upgrade-copies'
import { openDb, type Db, type DbOptions } from './infra/db/connection'
import { DatabaseError, isDamaged } from './infra/db/errors'
import { migrate, MigrationError, migrationStatus, type Migration } from './infra/db/migrate'
import { DataDirError, restrictToOwner, type DataDir } from './infra/data-dir'
import { replacePermissionInKeys } from './modules/organization/api-keys/replace-permission'
import { applyCatalogChanges } from './modules/organization/roles/catalog-migrations'

/** Path of a database to migrate, its backups, and how to open it. */
export interface Storage extends DbOptions {
  databasePath: string
  backupsPath: string
}

/**
 * Applies pending migrations in another thread, so that this one stays responsive. Returns the
 * applied migrations.
 */
export type MigrateElsewhere = (storage: Storage, pending: string[]) => Promise<string[]>

/**
 * Opens the database of a data folder and migrates it. If `migrates` is false, pending migrations
 * are an error. Throws DataDirError, DatabaseError and MigrationError.
 */
export async function openStorage(
  dir: DataDir,
  options: DbOptions & { clock: Clock; migrates: boolean; elsewhere: MigrateElsewhere },
): Promise<{ db: Db; applied: string[] }> {
  if (existsSync(restoreWorkDir(dir)) && !existsSync(dir.databasePath))
    throw new DataDirError(
      'A restore or a rollback was interrupted. Run it again, or move the *.before-restore files back.',
    )
  const { synchronous, cacheMib, clock } = options
  const open = (): Db => openDb(dir.databasePath, { synchronous, cacheMib })
  restrictToOwner(dir.databasePath)
  const db = open()
  const { isNew, pending } = migrationStatus(db.sqlite)
  if (!options.migrates && pending.length > 0)
    throw new MigrationError(
      `The database needs ${pending.length} migrations. Run "switchboard migrate", or start ` +
        'without --no-migrate.',
    )
  if (isNew || pending.length === 0) return { db, applied: migrateWithBackup(db, dir, clock) }
  db.sqlite.close()
  const { databasePath, backupsPath } = dir
  const tags = pending.map(({ tag }) => tag)
  return {
    applied: await options.elsewhere({ databasePath, backupsPath, synchronous, cacheMib }, tags),
    db: open(),
  }
}

/** How long a gigabyte takes to be copied and changed, about. */
const SECONDS_PER_GIB = 20

/** Returns the size of a database, and how long its copy and its migration take, about. */
export function expectedOf(databasePath: string): {
  database_mib: number
  expected_seconds: number
} {
  const bytes = ['', '-wal']
    .map((part) => statSync(databasePath + part, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
  return {
    database_mib: Math.ceil(bytes / 1024 ** 2),
    expected_seconds: Math.max(1, Math.ceil((bytes / 1024 ** 3) * SECONDS_PER_GIB)),
  }
}

/**
 * Applies pending migrations (by default the program's) after copying an existing database to the
 * backups. Returns the applied migrations. Throws MigrationError, and DatabaseError for a damaged
 * database.
 */
export function migrateWithBackup(
  db: Db,
  { backupsPath }: Pick<DataDir, 'backupsPath'>,
  clock: Pick<Clock, 'nowMs'>,
  migrations?: Migration[],
): string[] {
  try {
    return migrate(db.sqlite, {
      clock,
      ...(migrations ? { migrations } : {}),
      beforeChange(tag) {
        copyBefore(db, backupsPath, { tag, nowMs: clock.nowMs() })
      },
      afterwards() {
        applyCatalogChanges(db, { nowMs: clock.nowMs(), inKeys: replacePermissionInKeys })
      },
    })
  } catch (error) {
    if (error instanceof MigrationError || error instanceof DatabaseError || isDamaged(error))
      throw error
    const why = error instanceof Error ? error.message : 'it failed'
    throw new MigrationError(`Migration failed: ${why}. The database was not changed.`, {
      cause: error,
    })
  }
}

/**
 * Copies a database to the backups before it is changed. Deletes the copies of earlier attempts, so
 * that repeated starts do not fill the disk. Throws MigrationError if there is not enough space.
 */
function copyBefore(db: Db, folder: string, { tag, nowMs }: { tag: string; nowMs: number }): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const former = readdirSync(folder).filter((name) => name.startsWith(`before-${tag}-`))
  const remove = (names: string[]): void =>
    names.forEach((name) => rmSync(join(folder, name), { force: true }))
  remove(former.filter((name) => !name.endsWith('.sqlite')))
  const copy = join(folder, upgradeCopyName(tag, nowMs))
  const part = `${copy}.part`
  requireRoom(db, folder)
  try {
    db.sqlite.run('vacuum into ?', [part])
  } catch (error) {
    remove(readdirSync(folder).filter((name) => name.startsWith(basename(part))))
    throw error
  }
  chmodSync(part, 0o600)
  renameSync(part, copy)
  remove(former.filter((name) => join(folder, name) !== copy))
}

/**
 * Requires space for the copy. A copy that fills the disk would leave no space for the changes
 * either.
 */
function requireRoom(db: Db, folder: string): void {
  const { page_count: pages = 0 } =
    db.sqlite.query<{ page_count: number }, []>('pragma page_count').get() ?? {}
  const { page_size: size = 0 } =
    db.sqlite.query<{ page_size: number }, []>('pragma page_size').get() ?? {}
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= pages * size) return
  const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
  throw new MigrationError(
    `The database is copied to ${folder} before a migration, but there is not enough ` +
      `space: ${mib(pages * size)} MiB are needed, ${mib(bavail * bsize)} MiB are free. The ` +
      'database was not changed.',
  )
}
