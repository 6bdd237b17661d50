import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'

import { readSecretFile, writeSecretFile, type DataDir } from './infra/data-dir'
import { fileErrorMessage } from './lib/file-error'
import { VERSION } from './version'

/** What decides whether a version works with a database. */
interface DatabaseState {
  /** The newest migration. */
  migration: string
  /** The newest change of the permissions. */
  permissions: number
}

/** A version that has served from a data folder, with the database it had then. */
interface ServedVersion extends DatabaseState {
  version: string
}

/** The file in the data folder that lists the versions which have served, oldest first. */
const VERSIONS_FILE = 'versions'

const MAX_VERSIONS = 20

/** Returns the versions that have served, oldest first; none if the list is missing or damaged. */
function servedVersions(dir: Pick<DataDir, 'path'>): ServedVersion[] {
  try {
    const stored: unknown = JSON.parse(readSecretFile(dir, VERSIONS_FILE) ?? '[]')
    return Array.isArray(stored) && stored.every(isServedVersion) ? stored : []
  } catch {
    return []
  }
}

const isServedVersion = (value: unknown): value is ServedVersion =>
  typeof value === 'object' &&
  value !== null &&
  'version' in value &&
  typeof value.version === 'string' &&
  'migration' in value &&
  typeof value.migration === 'string' &&
  'permissions' in value &&
  typeof value.permissions === 'number'

/**
 * Remembers that this version serves from a data folder. Versions after it are forgotten: it was put
 * back in their place. Returns why it could not, or `null`; nothing but the advice of `rollback`
 * depends on it.
 */
export function rememberVersion(dir: Pick<DataDir, 'path'>, sqlite: Database): string | null {
  const served = servedVersions(dir)
  const at = served.findIndex(({ version }) => version === VERSION)
  const former = at === -1 ? served : served.slice(0, at)
  const present = { version: VERSION, ...stateOf(sqlite) }
  const list = JSON.stringify([...former, present].slice(-MAX_VERSIONS))
  if (list === JSON.stringify(served)) return null
  try {
    writeSecretFile(dir, VERSIONS_FILE, list)
    return null
  } catch (error) {
    const trouble = fileErrorMessage(error)
    if (trouble === null) throw error
    return trouble
  }
}

const stateOf = (sqlite: Database): DatabaseState =>
  sqlite
    .query<DatabaseState, []>(
      `select (select max(tag) from schema_migrations) as migration,
       (select coalesce(max(number), 0) from permission_seeds) as permissions`,
    )
    .get() ?? { migration: '', permissions: 0 }

/**
 * Returns the version before the last upgrade if it has served from this very database, so that
 * nothing but the executable has to be replaced; otherwise `null`, as for a program without the
 * newest migration, which came here to go back. `known` are the migrations of this program.
 */
export function formerThatOpens(
  dir: Pick<DataDir, 'path' | 'databasePath'>,
  known: string[],
): string | null {
  const present = readState(dir.databasePath)
  if (present === null || !known.includes(present.migration)) return null
  const served = servedVersions(dir)
  const at = served.findIndex(({ version }) => version === VERSION)
  // This program has not served yet, served last, or was put back in place of a later one.
  const former = at === -1 ? served.at(-1) : at === served.length - 1 ? served[at - 1] : served[at]
  return former?.migration === present.migration && former.permissions === present.permissions
    ? former.version
    : null
}

function readState(path: string): DatabaseState | null {
  if (!existsSync(path)) return null
  try {
    // Not read-only, which cannot open a database with a log that no process uses.
    const database = new Database(path, { strict: true })
    try {
      return stateOf(database)
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}
