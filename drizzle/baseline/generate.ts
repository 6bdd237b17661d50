/**
 * Writes the baseline migration from the `table.ts` files: what drizzle-kit generates, with every
 * table STRICT, and the statements of `additions.sql`, which drizzle-kit cannot express. Nothing is
 * released, so there is one migration, and it is written again at each change.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import config from '../config'

const root = join(import.meta.dir, '..', '..')
const folder = join(root, 'drizzle')
const work = join(root, 'dist', 'baseline')
const BREAKPOINT = '--> statement-breakpoint'

/** Tables whose rows are stored in the order of their primary key. drizzle-kit has no word for it. */
const WITHOUT_ROWID = new Set([
  'agent_message_counts',
  'agent_response_counts',
  'ai_breakers',
  'ai_call_counts',
  'ai_days',
  'api_key_permissions',
  'bot_session_counts',
  'campaign_errors',
  'contact_identities',
  'contact_rollups',
  'contact_tags',
  'contact_terms',
  'contact_words',
  'contacts_seen',
  'cost_changes',
  'cost_rollups',
  'keyword_rollups',
  'media_uploads',
  'message_files',
  'message_rollups',
  'message_statuses',
  'message_templates',
  'role_permissions',
  'rollup_parts',
  'scheduled_report_mails',
  'scheduled_report_recipients',
  'send_attempts',
  'transfer_counts',
  'webhook_attempts',
  'webhook_hours',
])

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
const statements = [
  ...read(join(work, '0000_baseline.sql')).map(complete),
  ...read(join(import.meta.dir, 'additions.sql')),
]
writeFileSync(join(folder, '0000_baseline.sql'), `${statements.join(`\n${BREAKPOINT}\n`)}\n`)
for (const name of ['0000_snapshot.json', '_journal.json'])
  renameSync(join(work, 'meta', name), join(folder, 'meta', name))
rmSync(work, { recursive: true })
process.stdout.write(`wrote drizzle/0000_baseline.sql: ${statements.length} statements\n`)
