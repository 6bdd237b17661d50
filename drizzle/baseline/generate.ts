/**
 * Writes what changed in the tables into `drizzle/`. Until a release is frozen, it writes the baseline
 * again; from then on it adds a migration, whose name is the argument.
 */
import { join } from 'node:path'

import { VERSION } from '../../src/version'
import { whyReleased } from '../../tests/releases/released'
import { addMigration, schemaDifferences, UnansweredError, writeBaseline } from './schema'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const frozen = [
  ...new Bun.Glob('*/release.json').scanSync(join(import.meta.dir, '../../tests/releases')),
]
const isUnreleased =
  frozen.length === 1 &&
  frozen[0]?.startsWith(`${VERSION}/`) &&
  whyReleased(join(import.meta.dir, '../..'), VERSION) === null

function add(name: string): void {
  const file = addMigration(name)
  if (file === null) return print('no table has changed')
  print(
    `wrote drizzle/${file}. Read it, then: bun test tests/architecture/releases.test.ts tests/releases`,
  )
  const differences = schemaDifferences()
  if (differences.length > 0) print(`Complete it by hand:\n  ${differences.join('\n  ')}`)
  if (isUnreleased)
    print(
      `While ${VERSION} is not released, \`bun run release:freeze\` writes one baseline with it instead.`,
    )
}

const [name] = process.argv.slice(2)
if (frozen.length === 0) print(`wrote drizzle/0000_baseline.sql: ${writeBaseline()} statements`)
else if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  print(
    'A release is frozen, so a change of a table is a migration. Name it: bun run db:generate add_nickname' +
      (isUnreleased
        ? `\nWhile ${VERSION} is not released, \`bun run release:freeze\` writes the baseline instead.`
        : ''),
  )
  process.exitCode = 1
} else
  try {
    add(name)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    print(error.message)
    process.exitCode = 1
  }
