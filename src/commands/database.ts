import type { Config } from '../config'
import {
  createProgram,
  filesOf,
  machine,
  openSecrets,
  platformOf,
  type Program,
} from '../container'
import { openDb, type Db } from '../infra/db/connection'
import { hasServed } from '../infra/keys/keyring'
import { openLog } from '../infra/log'
import { MigrationError, migrationStatus } from '../infra/db/migrate'
import { openInstallation, type DataDir } from '../infra/data-dir'
import { nameFolder, type Invocation } from './command'

/** The installation's database with our settings. Throws DatabaseError. */
export const openDatabase = (config: Config, path: string): Db =>
  openDb(path, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })

/** What a command that works on an installation is called with. */
type Called = Pick<Invocation, 'config' | 'isJson'>

/** The database of an installation that is up to date, with its folder and the settings. */
interface Opened {
  settings: Config
  dir: DataDir
  db: Db
}

/**
 * Does `work` on the installation's database, beside a server that may be running: SQLite lets one
 * write after the other, and what is read is always committed. Names the folder first. Throws
 * DataDirError where there is no installation, and MigrationError when the database is not of this
 * version.
 */
export async function onDatabase<T>(
  { config, isJson }: Called,
  work: (opened: Opened) => T | Promise<T>,
): Promise<T> {
  const settings = config()
  const dir = openInstallation(settings.dataDir)
  nameFolder(dir.path, isJson)
  const db = openDatabase(settings, dir.databasePath)
  try {
    if (migrationStatus(db.sqlite).pending.length > 0)
      throw new MigrationError('The database is not up to date; run "migrate" first.')
    return await work({ settings, dir, db })
  } finally {
    db.sqlite.close()
  }
}

/**
 * Does `work` with a whole program on the installation's database. Throws KeyError and
 * WrongKeyError too.
 */
export const beside = <T>(
  called: Called,
  work: (program: Program, settings: Config) => T | Promise<T>,
): Promise<T> =>
  onDatabase(called, async ({ settings, dir, db }) => {
    const around = machine()
    const log = openLog({ level: 'error', format: settings.logFormat })
    const platform = platformOf(settings, around.clock)
    const secrets = openSecrets(settings, dir, { wasUsed: hasServed(db.orm), isServer: false })
    return await work(
      createProgram(
        settings,
        secrets,
        { ...around, log, db, platform, files: filesOf(dir) },
        dir.path,
      ),
      settings,
    )
  })
