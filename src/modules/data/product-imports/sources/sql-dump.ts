import { ProductImportError } from '../model'
import { statementsOf } from './sql-statements'

/** A row of a dump: its values as text, by column. */
export type DumpRow = Record<string, string | null>

/** A row of a table; `null` for a row that is too large. */
export interface TableRow {
  table: string
  row: DumpRow | null
}

const INSERT =
  /^INSERT INTO ((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)\s*(\([^)]*\))?\s*(?:OVERRIDING \w+ VALUE\s+)?VALUES\s*/
const CREATE = /^CREATE TABLE (?:IF NOT EXISTS )?((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)\s*\(/

const bareName = (written: string): string => (written.split('.').at(-1) ?? '').replaceAll('"', '')

/**
 * Reads the rows of these tables from a plain dump, in its order. Columns are those of the statement,
 * else of `CREATE TABLE`. Throws ProductImportError for a dump that is broken or of another form.
 */
export async function* rowsOf(path: string, tables: ReadonlySet<string>): AsyncGenerator<TableRow> {
  const columnsOf = new Map<string, string[]>()
  for await (const statement of statementsOf(path)) {
    if (statement === null) {
      yield { table: '', row: null }
      continue
    }
    requireForm(statement)
    const created = CREATE.exec(statement)
    if (created) {
      const table = bareName(created[1] ?? '')
      if (tables.has(table)) columnsOf.set(table, columnsIn(statement.slice(created[0].length)))
    }
    const inserted = INSERT.exec(statement)
    const table = bareName(inserted?.[1] ?? '')
    if (inserted === null || !tables.has(table)) continue
    const columns = inserted[2]
      ?.slice(1, -1)
      .split(',')
      .map((name) => bareName(name.trim()))
    const named = columns ?? columnsOf.get(table)
    if (!named)
      throw new ProductImportError(
        `The dump has rows of ${table} but does not say what its columns are. Make it again without ` +
          '--data-only, or with --column-inserts.',
      )
    for (const values of valuesIn(statement, inserted[0].length)) {
      if (values.length !== named.length)
        throw new ProductImportError(
          `A row of ${table} has ${values.length} values for ${named.length} columns. The dump is broken.`,
        )
      yield { table, row: Object.fromEntries(named.map((name, at) => [name, values[at] ?? null])) }
    }
  }
}

/** Throws ProductImportError for settings and forms that would be read wrongly. */
function requireForm(statement: string): void {
  if (/^COPY\s/.test(statement))
    throw new ProductImportError(
      'The dump has its rows as COPY. Make it again with "pg_dump --inserts --file=dump.sql".',
    )
  if (statement.startsWith('SET standard_conforming_strings = off'))
    throw new ProductImportError('The dump has strings in an old form that is not read.')
  const encoding = /^SET client_encoding = '([^']+)'/.exec(statement)?.[1]
  if (encoding !== undefined && encoding !== 'UTF8')
    throw new ProductImportError(
      `The dump is in ${encoding}. Make it again with "pg_dump --inserts --encoding=UTF8".`,
    )
}

/** Returns the names of columns of `CREATE TABLE`, from after its parenthesis. */
function columnsIn(body: string): string[] {
  const columns: string[] = []
  for (const line of body.split('\n')) {
    const [, name] = /^\s*("[^"]+"|\w+)\s+\S/.exec(line) ?? []
    if (
      name !== undefined &&
      !['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN'].includes(name)
    )
      columns.push(bareName(name))
  }
  return columns
}

/** A word or number, a cast, and what stands between two values. */
const WORD = /[\w.+-]+/y
const CAST = /(?:::[\w. ]+(?:\(\d+\))?(?:\[\])?)?/y
const SPACE = /\s*/y

/** Returns the rows of an INSERT, from after `VALUES`. Throws ProductImportError. */
function* valuesIn(statement: string, start: number): Generator<(string | null)[]> {
  let at = start
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(statement) ?? []
    at += found.length
    return found
  }
  const take = (): string | null => {
    skip(SPACE)
    if (statement[at] !== "'") {
      const word = skip(WORD)
      if (word === '') throw unreadable(statement, at)
      return wordOf(word)
    }
    const from = at + 1
    for (at = from; ; at += 2) {
      at = statement.indexOf("'", at)
      if (at < 0) throw unreadable(statement, from)
      if (statement[at + 1] !== "'") break
    }
    at += 1
    return statement.slice(from, at - 1).replaceAll("''", "'")
  }
  const mark = (marks: string): string => {
    skip(SPACE)
    const found = statement[at] ?? ''
    if (found === '' || !marks.includes(found)) throw unreadable(statement, at)
    at += 1
    return found
  }
  do {
    mark('(')
    const values: (string | null)[] = []
    do {
      values.push(take())
      skip(CAST)
    } while (mark(',)') === ',')
    yield values
  } while (mark(',;') === ',')
}

const wordOf = (word: string): string | null => (word.toUpperCase() === 'NULL' ? null : word)

const unreadable = (statement: string, at: number): ProductImportError =>
  new ProductImportError(
    `The dump cannot be read at "${statement.slice(at, at + 30)}". Make it with "pg_dump --inserts".`,
  )
