/**
 * Runs the stories of all modules, or of the given folders, on organizations that are exported and
 * imported in the middle of their test (`tests/support/journey.ts`). A test that checks what stays
 * behind when an organization leaves its server says so itself (`World.stays`).
 */

/** Modules whose tests import and move organizations themselves. */
const TRAVELLING = ['cells', 'organization-archive', 'organization-import', 'organization-move']

const folders = process.argv.slice(2)
const ignored = TRAVELLING.flatMap((module) => [
  '--path-ignore-patterns',
  `tests/modules/*/${module}/**`,
])
const run = Bun.spawn(
  [
    ...[process.execPath, 'test', '--timeout', '600000', ...ignored],
    ...(folders.length > 0 ? folders : ['./tests/modules']),
  ],
  { env: { TRAVEL: 'import', ...process.env }, stdio: ['ignore', 'inherit', 'inherit'] },
)
process.exit(await run.exited)
