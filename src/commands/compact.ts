import { statfsSync, statSync } from 'node:fs'

import { DataDirError, openInstallation, type DataDir } from '../infra/data-dir'
import type { Db } from '../infra/db/connection'
import { isStorageError, reasonOf } from '../infra/db/errors'
import { claimDataDir } from '../infra/fence'
import { openDatabase } from './database'
import { print, printFolder, type Command } from './command'

/** The new pages are written twice: into a temporary file, and into the log of the database. */
const COPIES = 2

/**
 * Writes the database anew: unused space is returned to the system, and nothing of deleted rows is
 * left in pages that other rows still use.
 */
export const compact: Command = {
  name: 'compact',
  forms: [['compact', 'write the database anew, without the space of deleted rows']],
  more:
    'The server must be stopped. A gigabyte takes about ten seconds, and twice the size of the ' +
    'database in\nfree space. Run it after data was erased, if no copy of a deleted row may remain in ' +
    'unused parts of\nthe file.',
  flags: {},
  words: 0,
  async run({ isJson, config }) {
    const settings = config()
    const dir = openInstallation(settings.dataDir)
    printFolder(dir.path, isJson)
    const claim = await claimDataDir(dir, () => process.exit(1))
    try {
      const before = statSync(dir.databasePath).size
      requireSpace(dir, before)
      writeAnew(openDatabase(settings, dir.databasePath), dir)
      const after = statSync(dir.databasePath).size
      print(
        isJson
          ? JSON.stringify({ bytes_before: before, bytes_after: after })
          : `The database was written anew: ${mib(before)} MiB before, ${mib(after)} MiB now.`,
      )
    } finally {
      claim.release()
    }
  },
}

const mib = (bytes: number): string => (bytes / 1_024 ** 2).toFixed(1)

/** Throws DataDirError if the disk has too little space. */
function requireSpace({ path }: DataDir, sizeBytes: number): void {
  const { bavail, bsize } = statfsSync(path)
  const needed = sizeBytes * COPIES
  if (bavail * bsize < needed)
    throw new DataDirError(
      `There is not enough space in ${path}: ${mib(needed)} MiB are needed, ` +
        `${mib(bavail * bsize)} MiB are free. The database was not changed.`,
    )
}

/** Closes the database. Throws DataDirError if the temporary file does not fit on its disk. */
function writeAnew({ sqlite }: Db, { path }: DataDir): void {
  try {
    sqlite.run('vacuum')
    sqlite.run('pragma wal_checkpoint(truncate)')
  } catch (error) {
    if (!isStorageError(error) || reasonOf(error) !== 'full') throw error
    throw new DataDirError(
      `There is not enough space for the temporary file of SQLite, or in ${path}. ` +
        'SQLITE_TMPDIR names another folder for it. The database was not changed.',
    )
  } finally {
    sqlite.close()
  }
}
