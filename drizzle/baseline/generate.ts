/**
 * Writes the baseline migration from the `table.ts` files: what drizzle-kit generates, with every
 * table STRICT, and the statements of the
 * `additions.sql` beside them, which drizzle-kit cannot express. Nothing is
 * released, so there is one migration, and it is written again at each change.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

import config from '../config'
import { isStoredByKey } from '../../src/infra/db/define-table'

const root = join(import.meta.dir, '..', '..')
const folder = join(root, 'drizzle')
const work = join(root, 'dist', 'baseline')
const BREAKPOINT = '--> statement-breakpoint'

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
  const table = /^CREATE TABLE `(\w+)`/.exec(statement)?.[1]
  if (table === undefined) return statement
  const options = WITHOUT_ROWID.has(table) ? 'STRICT, WITHOUT ROWID' : 'STRICT'
  return statement.replace(/\n\);$/, `\n) ${options};`)
}

rmSync(work, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
const options = ['--schema', String(config.schema), '--out', relative(root, work)]
const made = Bun.spawnSync(
  [
    process.execPath,
    ...['x', '--no-install', 'drizzle-kit', 'generate', '--dialect', 'sqlite'],
    ...['--name', 'baseline', ...options],
  ],
  { cwd: root, env: { ...process.env, NO_COLOR: '1' }, stdin: 'ignore', timeout: 50_000 },
)
if (made.exitCode !== 0)
  throw new Error(`drizzle-kit failed:\n${made.stdout.toString()}${made.stderr.toString()}`)
const read = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split(BREAKPOINT)
    .map((statement) => statement.trim())
const additions = [...new Bun.Glob('src/{infra,modules}/**/additions.sql').scanSync(root)]
  .toSorted()
  .flatMap((path) => read(join(root, path)))
const statements = [...read(join(work, '0000_baseline.sql')).map(complete), ...additions]
writeFileSync(join(folder, '0000_baseline.sql'), `${statements.join(`\n${BREAKPOINT}\n`)}\n`)
for (const name of ['0000_snapshot.json', '_journal.json'])
  renameSync(join(work, 'meta', name), join(folder, 'meta', name))
rmSync(work, { recursive: true })
process.stdout.write(`wrote drizzle/0000_baseline.sql: ${statements.length} statements\n`)
