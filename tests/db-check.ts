/**
 * Fails when a `table.ts` has a change that no migration in `drizzle/` carries. Changes nothing: it
 * generates into a copy.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { join, relative } from 'node:path'

import config from '../drizzle/config'

const root = join(import.meta.dir, '..')
const sqlFiles = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.sql'))

/** Lets drizzle-kit write whatever is missing into `copy`; answers what it printed. */
function generateInto(copy: string): string {
  // drizzle-kit takes `out` relative to the working directory only.
  const options = [
    '--dialect',
    'sqlite',
    '--schema',
    String(config.schema),
    '--out',
    relative(root, copy),
  ]
  const made = Bun.spawnSync(
    [process.execPath, 'x', '--no-install', 'drizzle-kit', 'generate', ...options],
    {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      stdin: 'ignore',
      timeout: 50_000,
    },
  )
  const printed = `${made.stdout.toString()}${made.stderr.toString()}`
  if (made.exitCode !== 0)
    throw new Error(`drizzle-kit failed with ${made.exitCode ?? made.signalCode}:\n${printed}`)
  return printed
}

/** One sentence about what is wrong, or null. */
function findDrift(copy: string): string | null {
  cpSync(join(root, 'drizzle'), copy, { recursive: true })
  const before = new Set(sqlFiles(copy))
  const printed = generateInto(copy)
  const added = sqlFiles(copy).filter((name) => !before.has(name))
  if (added.length > 0) {
    const sql = added.map((name) => readFileSync(join(copy, name), 'utf8')).join('\n')
    return `tables have changes without a migration; run \`bun run db:generate\`. Missing:\n${sql}`
  }
  // Neither a file nor this sentence: drizzle-kit asked a question or saw no tables.
  return printed.includes('No schema changes')
    ? null
    : `drizzle-kit answered neither way:\n${printed}`
}

const work = join(root, 'dist')
if (!existsSync(work)) mkdirSync(work)
const folder = mkdtempSync(join(work, 'db-check-'))
try {
  const drift = findDrift(join(folder, 'drizzle'))
  console.log(drift ?? 'migrations are up to date')
  process.exitCode = drift === null ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
