import type { Config } from '../config'
import { createProgram, filesOf, machine, openSecrets, platformOf, type Program } from '../container'
import { openDb, type Db } from '../infra/db'
import { openLog } from '../infra/log'
import { MigrationError, migrationStatus } from '../infra/migrate'
import { openDataDir } from '../infra/storage-dir'

/** The installation's database with our settings. Throws DatabaseError. */
export const openDatabase = (config: Config, path: string): Db =>
  openDb(path, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })

/**
 * Does `work` with a program on the installation's database, beside a server that may be running: SQLite lets one write after the
 * other, and what is read is always committed. Throws MigrationError when the database is not of this version.
 */
export async function beside<T>(config: Config, work: (program: Program) => T | Promise<T>): Promise<T> {
  const dir = openDataDir(config.dataDir)
  const db = openDatabase(config, dir.databasePath)
  try {
    if (migrationStatus(db.sqlite).pending.length > 0) throw new MigrationError('The database is not up to date; run "migrate" first.')
    const around = machine()
    const log = openLog({ level: 'error', format: config.logFormat })
    const platform = platformOf(config, around.clock)
    return await work(createProgram(config, openSecrets(config, dir), { ...around, log, db, platform, files: filesOf(dir) }, dir.path))
  } finally {
    db.sqlite.close()
  }
}
