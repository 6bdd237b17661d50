/**
 * Writes what changed in the tables into `drizzle/`. Until a release is frozen, it writes the baseline
 * again; from then on it adds a migration, whose name is the argument.
 */
import { join } from 'node:path'

import { VERSION } from '../../src/version'
import { addMigration, schemaDifferences, writeBaseline } from './schema'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const frozen = [
  ...new Bun.Glob('*/release.json').scanSync(join(import.meta.dir, '../../tests/releases')),
]
const [name] = process.argv.slice(2)
if (frozen.length === 0) print(`wrote drizzle/0000_baseline.sql: ${writeBaseline()} statements`)
else if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  print(
    'A release is frozen, so a change of tables is a migration. Name it: bun run db:generate add_nickname',
  )
  process.exitCode = 1
} else {
  const file = addMigration(name)
  const differences = schemaDifferences()
  if (file === null) print('no table has changed')
  else {
    print(`wrote drizzle/${file}. Read it, then: bun test tests/releases`)
    if (differences.length > 0) print('Complete it by hand:')
  }
  for (const line of differences) print(`  ${line}`)
  if (frozen.length === 1 && frozen[0]?.startsWith(`${VERSION}/`))
    print(
      `As long as ${VERSION} has no tag, \`bun run release:freeze\` writes one baseline with all of it instead.`,
    )
}
