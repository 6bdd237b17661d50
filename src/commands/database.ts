import type { Config } from '../config'
import { createProgram, filesOf, machine, platformOf, type Program } from '../container'
import { openSecrets } from '../secrets'
import { openDb, type Db } from '../infra/db/connection'
import { hasServed } from '../infra/keys/keyring'
import { openLog } from '../infra/log'
import { MigrationError, migrationStatus } from '../infra/db/migrate'
import { openInstallation, type DataDir } from '../infra/data-dir'
import { printFolder, type Invocation } from './command'

/** Opens the installation's database with its settings. Throws DatabaseError. */
export const openDatabase = (config: Config, path: string): Db =>
  openDb(path, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })

/** The parts of an invocation that database commands need. */
type DatabaseInvocation = Pick<Invocation, 'config' | 'isJson'>

/** An up-to-date installation: its database, folder and settings. */
interface OpenInstallation {
  settings: Config
  dir: DataDir
  db: Db
}

/**
 * Runs `work` on the installation's database. A server may be running: SQLite serializes writes,
 * and reads see committed data only. Prints the folder first. Throws DataDirError if there is no
 * installation, and MigrationError if the database has another version.
 */
export async function withDatabase<T>(
  { config, isJson }: DatabaseInvocation,
  work: (opened: OpenInstallation) => T | Promise<T>,
): Promise<T> {
  const settings = config()
  const dir = openInstallation(settings.dataDir)
  printFolder(dir.path, isJson)
  const db = openDatabase(settings, dir.databasePath)
  try {
    if (migrationStatus(db.sqlite).pending.length > 0)
      throw new MigrationError('The database needs migrations. Run "switchboard migrate".')
    return await work({ settings, dir, db })
  } finally {
    db.sqlite.close()
  }
}

/**
 * Runs `work` with a complete program on the installation's database. Also throws KeyError and
 * WrongKeyError.
 */
export const withProgram = <T>(
  invocation: DatabaseInvocation,
  work: (program: Program, settings: Config) => T | Promise<T>,
): Promise<T> =>
  withDatabase(invocation, async ({ settings, dir, db }) => {
    const runtime = machine()
    const log = openLog({ level: 'error', format: settings.logFormat })
    const platform = platformOf(settings, runtime.clock)
    const secrets = openSecrets(settings, dir, { wasUsed: hasServed(db.orm), isServer: false })
    return await work(
      createProgram(
        settings,
        secrets,
        { ...runtime, log, db, platform, files: filesOf(dir) },
        dir.path,
      ),
      settings,
    )
  })
