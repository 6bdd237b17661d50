import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

/** Facts about a copy of a database. */
export interface CopyFacts {
  sizeBytes: number
  sha256: string
  /** The newest migration applied to it. */
  schemaVersion: string
  rowCounts: Record<string, number>
  /** Names of files in the store that its rows refer to. */
  files: string[]
  /** Its problems; empty if it is sound or was not verified. */
  problems: string[]
}

/** The database file to copy, or nothing if the copy exists; and whether to verify the copy. */
export interface CopyOrder {
  source: string | null
  target: string
  isVerified: boolean
}

/** Maximum number of reported problems; a database may have millions. */
const MAX_PROBLEMS = 20

/**
 * Copies a database as it is at one moment, while others write to it, and inspects the copy. Slow:
 * minutes for gigabytes.
 */
export async function copyDatabase({ source, target, isVerified }: CopyOrder): Promise<CopyFacts> {
  if (source !== null) {
    const database = new Database(source, { readonly: true, strict: true })
    try {
      database.run('pragma busy_timeout = 10000')
      database.run('vacuum into ?', [target])
    } finally {
      database.close()
    }
  }
  flushFile(target)
  return await inspectDatabase(target, isVerified)
}

/**
 * Returns facts about a database file that nobody writes to. With `isVerified` it also checks its
 * pages, indexes and references.
 */
export async function inspectDatabase(path: string, isVerified: boolean): Promise<CopyFacts> {
  const database = new Database(path, { readonly: true, strict: true })
  try {
    const tables = database
      .query<{ name: string }, []>(
        "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' order by name",
      )
      .all()
      .map(({ name }) => name)
    const known = tables.filter((name) => !name.startsWith('sqlite_'))
    const count = (name: string): number =>
      database.query<{ n: number }, []>(`select count(*) as n from "${name}"`).get()?.n ?? 0
    return {
      sizeBytes: statSync(path).size,
      sha256: await sha256Of(path),
      schemaVersion:
        database.query<{ tag: string }, []>('select max(tag) as tag from schema_migrations').get()
          ?.tag ?? '',
      rowCounts: Object.fromEntries(known.map((name) => [name, count(name)])),
      files: filesIn(database, known),
      problems: isVerified ? databaseProblems(database) : [],
    }
  } finally {
    database.close()
  }
}

/** Returns SQLite's findings about a database: its structure, and dangling references. */
export function databaseProblems(database: Database): string[] {
  const integrity = database
    .query<{ integrity_check: string }, []>(`pragma integrity_check(${MAX_PROBLEMS})`)
    .all()
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok')
  const dangling = database
    .query<{ table: string; parent: string }, []>('pragma foreign_key_check')
    .all()
  const counts = Map.groupBy(
    dangling,
    ({ table, parent }) => `rows of ${table} refer to missing rows of ${parent}`,
  )
  return [...integrity, ...[...counts].map(([what, rows]) => `${rows.length} ${what}`)].slice(
    0,
    MAX_PROBLEMS,
  )
}

/** Returns the stored files that rows refer to, which is every column named `stored_as`. */
function filesIn(database: Database, tables: string[]): string[] {
  const names = new Set<string>()
  for (const table of tables) {
    const has = database
      .query<{ n: number }, [string]>(
        "select count(*) as n from pragma_table_info(?) where name = 'stored_as'",
      )
      .get(table)?.n
    if (!has) continue
    const rows = database.query<{ name: string }, []>(
      `select stored_as as name from "${table}" where stored_as is not null`,
    )
    for (const { name } of rows.iterate()) names.add(name)
  }
  return [...names].toSorted()
}

/** SHA-256 of a file, read in pieces. */
async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of Bun.file(path).stream()) hash.update(piece)
  return hash.digest('hex')
}

/** Flushes a file to disk. */
export function flushFile(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
