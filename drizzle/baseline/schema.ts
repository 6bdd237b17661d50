/**
 * The schema as `table.ts` and `additions.sql` files declare it: what drizzle-kit generates, with every
 * table STRICT, and the statements of the `additions.sql`, which drizzle-kit cannot express.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

import config from '../config'
import { isStoredByKey } from '../../src/infra/db/define-table'

const root = join(import.meta.dir, '..', '..')
const work = join(root, 'dist', 'baseline')
const BREAKPOINT = '--> statement-breakpoint'

/** Folder of the migrations. */
const MIGRATIONS = join(root, 'drizzle')

/** Tables whose rows are stored in the order of their primary key. drizzle-kit has no word for it. */
const WITHOUT_ROWID = new Set<string>()
for (const path of new Bun.Glob('src/{infra,modules}/**/*table.ts').scanSync(root))
  for (const table of Object.values((await import(join(root, path))) as Record<string, unknown>))
    if (is(table, SQLiteTable) && isStoredByKey(table)) WITHOUT_ROWID.add(getTableName(table))

/** drizzle-kit splits the expression of this index at its commas. */
const EXPRESSION_INDEX =
  'CREATE INDEX `users_cost` ON `users` (substr("password_hash", 16, instr(substr("password_hash", 16), \'$\') - 1));'

function complete(statement: string): string {
  if (statement.startsWith('CREATE INDEX `users_cost`')) return EXPRESSION_INDEX
  const table = /^CREATE TABLE `(?:__new_)?(\w+)`/.exec(statement)?.[1]
  if (table === undefined) return statement
  const options = WITHOUT_ROWID.has(table) ? 'STRICT, WITHOUT ROWID' : 'STRICT'
  return statement.replace(/\n\);$/, `\n) ${options};`)
}

const statementsIn = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split(BREAKPOINT)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '')

const written = (statements: string[]): string => `${statements.join(`\n${BREAKPOINT}\n`)}\n`

const sqlFilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()

/** Lets drizzle-kit write what is missing in a folder. Its questions are answered in the terminal. */
function generateInto(folder: string, ...more: string[]): void {
  // drizzle-kit takes `out` relative to the working directory only.
  const options = ['--schema', String(config.schema), '--out', relative(root, folder)]
  const isAsking = folder === MIGRATIONS && process.stdin.isTTY
  const made = Bun.spawnSync(
    [
      process.execPath,
      ...['x', '--no-install', 'drizzle-kit', 'generate', '--dialect', 'sqlite'],
      ...[...options, ...more],
    ],
    {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: isAsking ? ['inherit', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      ...(isAsking ? {} : { timeout: 50_000 }),
    },
  )
  if (made.exitCode === 0) return
  throw new Error(`drizzle-kit failed:\n${made.stdout?.toString()}${made.stderr?.toString()}`)
}

/** Generates the whole schema into the folder for work. Returns its statements. */
function declaredStatements(): string[] {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  generateInto(work, '--name', 'baseline')
  const additions = [...new Bun.Glob('src/{infra,modules}/**/additions.sql').scanSync(root)]
    .toSorted()
    .flatMap((path) => statementsIn(join(root, path)))
  return [...statementsIn(join(work, '0000_baseline.sql')).map(complete), ...additions]
}

/** Writes the schema as the one migration there is, unless it is. Returns the number of its statements. */
export function writeBaseline(): number {
  const statements = declaredStatements()
  const [first, ...others] = sqlFilesIn(MIGRATIONS)
  const isThere =
    others.length === 0 &&
    first !== undefined &&
    readFileSync(join(MIGRATIONS, first), 'utf8') === written(statements) &&
    tablesOfSnapshot(work) === tablesOfSnapshot(MIGRATIONS)
  if (isThere) return statements.length
  for (const name of sqlFilesIn(MIGRATIONS)) rmSync(join(MIGRATIONS, name))
  for (const name of readdirSync(join(MIGRATIONS, 'meta'))) rmSync(join(MIGRATIONS, 'meta', name))
  writeFileSync(join(MIGRATIONS, '0000_baseline.sql'), written(statements))
  for (const name of ['0000_snapshot.json', '_journal.json'])
    renameSync(join(work, 'meta', name), join(MIGRATIONS, 'meta', name))
  rmSync(work, { recursive: true })
  return statements.length
}

/** drizzle-kit has a question, and there is no terminal to ask in. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
}

/**
 * Adds a migration with the changes of tables. If only `additions.sql` changed, it is empty. Returns its
 * file, or `null` if nothing has changed. Throws UnansweredError.
 */
export function addMigration(name: string): string | null {
  const before = new Set(sqlFilesIn(MIGRATIONS))
  const added = (): string | undefined => sqlFilesIn(MIGRATIONS).find((file) => !before.has(file))
  generateInto(MIGRATIONS, '--name', name)
  if (added() === undefined) {
    const differences = schemaDifferences()
    if (differences.includes(OLD_SNAPSHOT))
      throw new UnansweredError(
        'Something has gone and something is new: was it renamed? Run this in a terminal and answer.',
      )
    if (differences.length > 0) generateInto(MIGRATIONS, '--name', name, '--custom')
  }
  const file = added()
  if (file === undefined) return null
  const path = join(MIGRATIONS, file)
  writeFileSync(path, written(statementsIn(path).map(complete)))
  return file
}

const OLD_SNAPSHOT = 'drizzle/meta: the newest snapshot has other tables'

/** Returns how the schema of the migrations differs from the declared one, a line each. */
export function schemaDifferences(): string[] {
  const declared = describeSchema(declaredStatements())
  const isSnapshotOld = tablesOfSnapshot(work) !== tablesOfSnapshot(MIGRATIONS)
  rmSync(work, { recursive: true })
  const migrated = describeSchema(
    sqlFilesIn(MIGRATIONS).flatMap((name) => statementsIn(join(MIGRATIONS, name))),
  )
  const missing = [...declared].filter((line) => !migrated.has(line))
  const extra = [...migrated].filter((line) => !declared.has(line))
  return [
    ...missing.map((line) => `no migration makes: ${line}`),
    ...extra.map((line) => `no migration removes: ${line}`),
    ...(isSnapshotOld ? [OLD_SNAPSHOT] : []),
  ].toSorted()
}

/** Returns the newest snapshot of drizzle-kit, from which it derives the next migration. */
function tablesOfSnapshot(folder: string): string {
  const [newest = ''] = readdirSync(join(folder, 'meta'))
    .filter((name) => name.endsWith('_snapshot.json'))
    .toSorted()
    .toReversed()
  const { tables } = JSON.parse(readFileSync(join(folder, 'meta', newest), 'utf8')) as {
    tables: unknown
  }
  return JSON.stringify(tables, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Runs statements in an empty database and describes its schema, a line each, in no order. */
export function describeSchema(statements: string[]): Set<string> {
  using database = new Database(':memory:', { strict: true })
  for (const statement of statements) database.run(statement)
  const tables = database
    .query<{ name: string; type: string; wr: number; strict: number }, []>(
      "select name, type, wr, strict from pragma_table_list where schema = 'main' and name not like 'sqlite_%' and type in ('table', 'view', 'virtual')",
    )
    .all()
  const texts = database
    .query<{ type: string; name: string; sql: string }, []>(
      'select type, name, sql from sqlite_schema where sql is not null',
    )
    .all()
  const isTable = new Set(tables.filter(({ type }) => type === 'table').map(({ name }) => name))
  const isShadow = (name: string): boolean =>
    tables.some((table) => table.type === 'virtual' && name.startsWith(`${table.name}_`))
  return new Set([
    ...tables.map(({ name, wr, strict }) => `table ${name} strict=${strict} without_rowid=${wr}`),
    ...texts.flatMap(({ type, name, sql }) => {
      if (type === 'table' && isShadow(name)) return []
      if (type !== 'table' || !isTable.has(name)) return [`${type} ${name}: ${normalized(sql)}`]
      return [
        ...definitionsOf(sql).map((definition) => `table ${name}: ${definition}`),
        ...database
          .query<Record<string, unknown>, [string]>(
            'select "table", "from", "to", on_update, on_delete, seq from pragma_foreign_key_list(?)',
          )
          .all(name)
          .map((reference) => `table ${name} refers: ${Object.values(reference).join(' ')}`),
      ]
    }),
  ])
}

const normalized = (sql: string): string =>
  sql.replaceAll(/[`"]/g, '').replaceAll(/\s+/g, ' ').trim()

/** Returns the columns and checks of a table; its references are described otherwise. */
function definitionsOf(sql: string): string[] {
  const text = normalized(sql)
  const definitions: string[] = []
  let [depth, start, isQuoted] = [0, 0, false]
  for (const [at, letter] of [...text].entries()) {
    if (letter === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    if (letter === '(') depth += 1
    if (depth === 1 && letter === '(') start = at + 1
    if ((depth === 1 && letter === ',') || (depth === 1 && letter === ')')) {
      definitions.push(text.slice(start, at).trim())
      start = at + 1
    }
    if (letter === ')') depth -= 1
  }
  return definitions
    .filter((definition) => !/^FOREIGN KEY/i.test(definition))
    .map((definition) => definition.replace(/ REFERENCES .*$/i, ''))
}
