import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'bun:test'

import { knownMigrations } from '../../src/infra/db/migrate'
import { ARCHIVE_VERSION } from '../../src/modules/data/organization-archive/archive-format'
import type { ApiParts } from '../support/api-fields'
import { apiOf, apiToday, columnsInArchives, releaseFolders, releaseIn } from '../support/release'
import { changedSinceTags, whyReleased } from '../releases/released'
import { freshDatabase } from '../support/world'

const ROOT = join(import.meta.dir, '../..')
const releases = releaseFolders().map(releaseIn)
const newestVersion = releases.at(-1)?.version ?? ''

/** What else can be done about the newest release, as long as it is none. */
const UNTIL_ITS_DATE =
  whyReleased(ROOT, newestVersion) === null
    ? 'Until src/CHANGELOG.md has its date, `bun run release:freeze` freezes it again (tests/releases/README.md).'
    : 'It is released, so its files in tests/releases do not change any more.'

test('what a release has frozen is what its tag has', () => {
  expect(changedSinceTags(ROOT)).toEqual([])
})

describe.each(releases.map((release) => [release.version, release] as const))(
  'the format of %s is frozen',
  (version, release) => {
    test.each(Object.entries(release.migrations))('%s does not change', (tag, hash) => {
      const today = knownMigrations().find((migration) => migration.tag === tag)
      const refusal =
        `drizzle/${tag}.sql is not the one with which ${version} was frozen: databases of it could ` +
        'not be opened any more. Restore the file and its snapshot, then add a migration with ' +
        `\`bun run db:generate <name>\`. ${UNTIL_ITS_DATE}`
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
  } ${UNTIL_ITS_DATE}`
  const isRight = ARCHIVE_VERSION === format + 1 || (isSame && ARCHIVE_VERSION === format)
  expect(isRight ? null : refusal).toBeNull()
})

/**
 * Returns the parts of the API that have gone without being deprecated in the two releases before.
 * `former` has the APIs of releases, the newest first.
 */
function goneTooSoon(today: ApiParts, former: ApiParts[]): string[] {
  const [newest = {}, before = {}] = former
  return Object.keys(newest).filter(
    (part) => !(part in today) && !(newest[part] === true && before[part] === true),
  )
}

test('what has gone from the API was deprecated in the two releases before', () => {
  const gone = goneTooSoon(apiToday(), releaseFolders().map(apiOf).toReversed())
  const refusal =
    'These routes and fields were promised to stay. Bring them back, mark them `deprecated: true`, and let ' +
    'their routes say `retires` (http/guard.ts). They may go after two releases with it. ' +
    UNTIL_ITS_DATE
  expect(gone, refusal).toEqual([])
})

test('parts of the API are its routes, their parameters and the fields of bodies and answers', () => {
  expect(apiToday()).toMatchObject({
    'GET /api/contacts': false,
    'GET /api/contacts query search': false,
    'GET /api/contacts answer.data.items.assigned_user.full_name': false,
    'POST /api/templates body.name': false,
    'POST /api/templates body.allow_category_change': true,
  })
})

test('a part of the API stays until two releases in a row have announced its end', () => {
  const without = { a: false }
  const [kept, marked] = [
    { ...without, b: false },
    { ...without, b: true },
  ]
  expect(goneTooSoon(kept, [kept])).toEqual([])
  expect(goneTooSoon({ ...kept, c: false }, [kept, kept])).toEqual([])
  for (const former of [[kept], [marked], [marked, kept], [kept, marked], [marked, without]])
    expect(goneTooSoon(without, former)).toEqual(['b'])
  expect(goneTooSoon(without, [marked, marked, kept])).toEqual([])
})

test('the version of the package is that of the newest frozen release, or a later one', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  expect(
    releases.map((one) => one.version).filter((one) => Bun.semver.order(one, version) > 0),
  ).toEqual([])
})
