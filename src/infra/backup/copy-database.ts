import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'

/** What a copy of a database holds. */
export interface CopyFacts {
  sizeBytes: number
  sha256: string
  /** The newest migration it was made with. */
  schemaVersion: string
  rowCounts: Record<string, number>
  /** Names of files in the store that its rows refer to. */
  files: string[]
  /** What is wrong with it; empty when it is sound, or was not looked at. */
  problems: string[]
}

/**
 * What is to be copied: a database file, or nothing where the copy is there already; and whether
 * the copy is to be proven.
 */
export interface CopyOrder {
  source: string | null
  target: string
  isVerified: boolean
}

/** Problems told of one database; there may be millions. */
const MAX_PROBLEMS = 20

/**
 * Copies a database as it is at one moment, while others write to it, and looks at the copy. Slow:
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
  flush(target)
  return await inspectDatabase(target, isVerified)
}

/**
 * What a database file that nobody writes to holds, and with `isVerified` whether it is sound: its
 * pages, indices and references.
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
      problems: isVerified ? problemsOf(database) : [],
    }
  } finally {
    database.close()
  }
}

/** What SQLite finds wrong with a database: its structure, and references that lead nowhere. */
export function problemsOf(database: Database): string[] {
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

/** The files of the store that rows refer to: wherever they do, the column is named `stored_as`. */
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

/** Makes sure that a file is on the disk and not only on its way there. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
