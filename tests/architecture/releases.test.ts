import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'bun:test'

import { knownMigrations } from '../../src/infra/db/migrate'
import { ARCHIVE_VERSION } from '../../src/modules/data/organization-archive/archive-format'
import { columnsInArchives, releaseFolders, releaseIn } from '../support/release'
import { freshDatabase } from '../support/world'

const releases = releaseFolders().map(releaseIn)

describe.each(releases.map((release) => [release.version, release] as const))(
  'the format of %s is frozen',
  (version, release) => {
    test.each(Object.entries(release.migrations))('%s does not change', (tag, hash) => {
      const today = knownMigrations().find((migration) => migration.tag === tag)
      const refusal =
        `drizzle/${tag}.sql is not the one with which ${version} was frozen: databases of it could ` +
        'not be opened any more. Restore the file and its snapshot, then add a migration with ' +
        `\`bun run db:generate <name>\`. Only while ${version} has no tag, \`bun run release:freeze\` ` +
        'freezes it again (tests/releases/README.md).'
      expect(today?.hash === hash ? null : refusal).toBeNull()
    })
  },
)

test('the version of archives rises once per release that changes a column of them', () => {
  const newest = releases.at(-1)
  if (!newest) return
  const { format, columns } = newest.archive
  const isSame = Bun.deepEquals(columnsInArchives(freshDatabase()), columns)
  const refusal = `Archives of ${newest.version} have the format ${format}. ${
    isSame
      ? `Set ARCHIVE_VERSION to it, or to ${format + 1} if values of a column changed.`
      : `They have other columns now: set ARCHIVE_VERSION to ${format + 1}.`
  }`
  const isRight = ARCHIVE_VERSION === format + 1 || (isSame && ARCHIVE_VERSION === format)
  expect(isRight ? null : refusal).toBeNull()
})

test('the version of the package is that of the newest frozen release, or a later one', () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dir, '../../package.json'), 'utf8'),
  ) as { version: string }
  expect(
    releases.map((one) => one.version).filter((one) => Bun.semver.order(one, version) > 0),
  ).toEqual([])
})
