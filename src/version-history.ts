import type { Database } from 'bun:sqlite'

import { readSecretFile, writeSecretFile, type DataDir } from './infra/data-dir'
import { fileErrorMessage } from './lib/file-error'
import { VERSION } from './version'

/** A version that has served from a data folder, and the newest migration of its database. */
interface ServedVersion {
  version: string
  migration: string
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
  typeof value.migration === 'string'

/**
 * Remembers that this version serves from a data folder. Versions after it are forgotten: it was put
 * back in their place. Returns why it could not, or `null`; nothing but the advice of `rollback`
 * depends on it.
 */
export function rememberVersion(dir: Pick<DataDir, 'path'>, sqlite: Database): string | null {
  const served = servedVersions(dir)
  const at = served.findIndex(({ version }) => version === VERSION)
  const former = at === -1 ? served : served.slice(0, at)
  const present = { version: VERSION, migration: newestMigration(sqlite) }
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

const newestMigration = (sqlite: Database): string =>
  sqlite.query<{ tag: string | null }, []>('select max(tag) as tag from schema_migrations').get()
    ?.tag ?? ''

/**
 * Returns the version before the last upgrade if it has served from this very database, so that
 * nothing but the executable has to be replaced; otherwise `null`. `applied` are the migrations of
 * the database, oldest first, `known` those of this program.
 */
export function formerThatOpens(
  dir: Pick<DataDir, 'path'>,
  { applied, known }: { applied: string[]; known: string[] },
): string | null {
  const newest = applied.at(-1)
  // An older program, which came here to go back.
  if (newest === undefined || !known.includes(newest)) return null
  const served = servedVersions(dir)
  const at = served.findIndex(({ version }) => version === VERSION)
  // This program has not served yet, served last, or was put back in place of a later one.
  const former = at === -1 ? served.at(-1) : at === served.length - 1 ? served[at - 1] : served[at]
  return former?.migration === newest ? former.version : null
}
