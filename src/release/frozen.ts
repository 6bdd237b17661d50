import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { knownMigrations } from '../infra/db/migrate'

/** Throws unless the format of a version is frozen in the folder of releases, with all of its migrations. */
export function requireFrozen(folder: string, version: string): void {
  const facts = join(folder, version, 'release.json')
  const { migrations } = existsSync(facts)
    ? (JSON.parse(readFileSync(facts, 'utf8')) as { migrations: Record<string, string> })
    : { migrations: {} }
  const today = Object.fromEntries(knownMigrations().map(({ tag, hash }) => [tag, hash]))
  if (!Bun.deepEquals(migrations, today))
    throw new Error(
      `the format of ${version} is not frozen as it is: run \`bun run release:freeze\`, and commit tests/releases`,
    )
}
