import { describe } from 'bun:test'
import { posix } from 'node:path'

import { codeOf, ownImportsOf, type Source } from '../support/sources'
import { file, moduleOf, otherThan, refusing, rule, tests } from './support'

const READS_CLOCK_OR_CHANCE = [
  'src/lib/clock.ts',
  'src/lib/ids.ts',
  'src/lib/random.ts',
  'src/main.ts',
  'src/container.ts',
]

/** The last two replace the variable in what they build. */
const READS_ENVIRONMENT = [
  'src/config.ts',
  'src/main.ts',
  'src/release/build.ts',
  'src/console-bundle.ts',
]

/** Tables of data that may be longer than the cap. */
const LONG_DATA: string[] = []
const MAX_LINES = 400

/** What stands beside the server has words of its own. */
const BESIDE = /^src\/(demo|simulator|release)\//

/** Each exported type whose name another file exports, too. */
function sharedNames(files: Source[]): string[] {
  const places = new Map<string, string[]>()
  for (const { path, text } of files)
    for (const [, name = ''] of text.matchAll(/^export (?:interface|type) (\w+)/gm))
      if (!BESIDE.test(path)) places.set(name, [...(places.get(name) ?? []), path])
  return [...places].flatMap(([name, paths]) =>
    paths.length > 1 ? [`${name} is exported by ${paths.join(' and ')}`] : [],
  )
}

describe('how code reads', () => {
  rule(
    'open points live in the tracker, not in the source',
    refusing(/\b(TODO|FIXME|XXX|HACK)\b/g, undefined, ({ text }) => text),
    {
      refuses: [[file('src/lib/a.ts', '// TODO: later')], [file('src/lib/a.ts', '/* FIXME */')]],
      accepts: [file('src/lib/a.ts', "const todos = 'todo'")],
    },
  )

  const ambient =
    /\bDate\.now\b|\bnew Date(\(\s*\)|(?!\s*\())|(?<!\.|new )\bDate\(|\bMath\.random\b|\brandomUUID(v7)?\b/g
  rule(
    'time, ids and chance come from the context',
    refusing(ambient, otherThan(READS_CLOCK_OR_CHANCE)),
    {
      refuses: [
        'Date.now()',
        'new Date()',
        'new Date',
        'Date()',
        'Math.random()',
        'crypto.randomUUID()',
        'Bun.randomUUIDv7()',
        'xs.map(Date.now)',
      ].map((code) => [file('src/infra/a.ts', `export const x = ${code}`)]),
      accepts: [
        file(
          'src/infra/a.ts',
          'export const x = new Date(ms).toISOString()',
          '/** Never Date.now(). */',
          'type X = Date',
        ),
        file('src/lib/clock.ts', 'export const x = Date.now()'),
      ],
    },
  )

  rule(
    'the environment is read in one place',
    refusing(/\b(process|Bun|import\.meta)\.env\b/g, otherThan(READS_ENVIRONMENT)),
    {
      refuses: [
        [file('src/infra/a.ts', 'const x = process.env.PORT')],
        [file('src/infra/a.ts', 'const x = Bun.env.PORT')],
      ],
      accepts: [file('src/config.ts', 'const x = process.env.PORT')],
    },
  )

  rule(
    'nothing is exported by default or wholesale',
    refusing(/^export\s+(default\b|\*)|\bas default\b/gm),
    {
      refuses: [
        [file('src/lib/a.ts', 'export default 1')],
        [file('src/lib/a.ts', "export * from './b'")],
        [file('src/lib/a.ts', 'export { a as default }')],
      ],
      accepts: [file('src/lib/a.ts', 'export const a = 1')],
    },
  )

  const user = file('src/http/user.ts', "import { a } from '../lib/a'")
  rule('a function that other rooms use says what it does', undocumented, {
    refuses: [
      [user, file('src/lib/a.ts', 'export function a(): void {}')],
      [user, file('src/lib/a.ts', 'const b = 1', '', 'export async function* a() {}')],
      [user, file('src/lib/a.ts', 'export const a = (x: number) => x')],
      [user, file('src/lib/a.ts', 'export const a =', '  <T>(x: T) =>', '  x')],
      [user, file('src/lib/a.ts', '// a comment', 'export const a: Maker = async (x) => x')],
      [user, file('src/lib/a.ts', 'export const a = x => x')],
      [
        file('src/modules/inbox/tags/service.ts', "import { a } from '../views/queries'"),
        file('src/modules/inbox/views/queries.ts', 'export const a = (x: number) => x'),
      ],
    ],
    accepts: [
      user,
      file(
        'src/lib/a.ts',
        '/** Adds. */',
        'export function a(): void {}',
        '',
        'export const b = (x: number) => x',
      ),
      file('src/lib/b.ts', "import { b } from './a'"),
      file(
        'src/infra/b.ts',
        '/** One of many. */',
        'export function a(x: string): void',
        'export function a(x: number): void',
        'export const C = Type.Object({})',
      ),
      file('src/http/other.ts', "import { a, C } from '../infra/b'"),
    ],
  })

  rule('no docstring inside a room only repeats the name', repeating, {
    refuses: [
      [file('src/lib/a.ts', '/** A tag row as stored. */', 'type TagRow = X')],
      [file('src/lib/a.ts', '/** Routes for tags. */', 'export const tagRoutes = (x: X) => x')],
    ],
    accepts: [
      file('src/lib/a.ts', '/** A tag that an import makes. */', 'type TagRow = X'),
      file('src/infra/b.ts', '/** Routes for tags. */', 'export const tagRoutes = (x: X) => x'),
      file('src/http/other.ts', "import { tagRoutes } from '../infra/b'"),
    ],
  })

  rule('an exported type has a name of its own', sharedNames, {
    refuses: [
      [
        file('src/lib/a.ts', 'export interface Place {}'),
        file('src/infra/b.ts', 'export type Place = string'),
      ],
    ],
    accepts: [
      file('src/lib/a.ts', 'export interface Place {}', 'interface Line {}'),
      file('src/infra/b.ts', 'export type ListPlace = string', 'type Line = string'),
      file('src/demo/c.ts', 'export interface Place {}'),
    ],
  })

  rule(
    'docstrings are sentences, without tags',
    refusing(/@(param|returns?|throws)\b/g, undefined, ({ text }) => text),
    {
      refuses: [[file('src/lib/a.ts', '/** @param x a number */')]],
      accepts: [file('src/lib/a.ts', '/** Adds one. */', "const address = 'a@parameter.example'")],
    },
  )

  rule(`a file has at most ${MAX_LINES} lines of code`, tooLong, {
    refuses: [
      [
        file(
          'src/lib/a.ts',
          ...Array.from({ length: MAX_LINES + 1 }, (_, line) => `const x${line} = 1`),
        ),
      ],
    ],
    accepts: [
      file(
        'src/lib/a.ts',
        ...Array.from({ length: MAX_LINES }, (_, line) => `const x${line} = 1\n// why\n`),
      ),
    ],
  })

  const badName = (path: string): boolean =>
    !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.ts$/.test(posix.basename(path)) ||
    /(^|[/-])(utils?|helpers?|common|managers?)(-|\.ts$|\/)/.test(path)
  rule(
    'file names are lower-case words that say something',
    (files) => files.map(({ path }) => path).filter(badName),
    {
      refuses: [
        [file('src/lib/Errors.ts')],
        [file('src/lib/utils.ts')],
        [file('src/lib/date-helpers.ts')],
        [file('src/common/a.ts')],
        [file('src/lib/rate_limit.ts')],
      ],
      accepts: [
        file('src/infra/db/migrations.macro.ts'),
        file('src/infra/rate-limit.ts'),
        file('src/modules/organization/api-keys/routes.ts'),
      ],
    },
  )

  // The public samples lie outside of the repository and may not be copied into it: these tests run
  // where they are.
  const ofSamples = ['tests/simulator/checks.test.ts', 'tests/flows/published-webhooks.test.ts']
  /**
   * Recipes are tried with programs that are not installed everywhere; a test of one that is not is
   * shown as skipped.
   */
  const unfocused = tests.filter(
    ({ path }) =>
      !path.startsWith('tests/architecture/') &&
      !ofSamples.includes(path) &&
      !path.startsWith('tests/recipes/') &&
      // Without a Chromium the journeys through the console are shown as skipped.
      !path.startsWith('tests/console/') &&
      path !== 'tests/binary/console.test.ts' &&
      // Without Python so is that of its client.
      path !== 'tests/clients/python.test.ts',
  )
  rule(
    'no test is skipped or run alone',
    refusing(/\b(test|it|describe)\.(only|(skip|todo|failing)(If)?|if)\b/g),
    {
      refuses: [
        [file('tests/a.test.ts', "test.only('x', () => {})")],
        [file('tests/a.test.ts', "describe.skip('x', () => {})")],
        [file('tests/a.test.ts', "test.skipIf(isMissing)('x')")],
      ],
      accepts: [file('tests/a.test.ts', "test('x', () => {})", "test.each([1])('x', () => {})")],
    },
    unfocused,
  )
})

/** The folder whose files know each other: a module, or a folder of a layer. */
const roomOf = (path: string): string => moduleOf(path) ?? posix.dirname(path)

/** Returns whether other rooms import a name of a file. */
function usedOutside(files: Source[]): (path: string, name: string) => boolean {
  const importers = new Map<string, Source[]>()
  for (const source of files)
    for (const { target } of ownImportsOf(source, files))
      if (roomOf(source.path) !== roomOf(target))
        importers.set(target, [...(importers.get(target) ?? []), source])
  return (path, name) =>
    (importers.get(path) ?? []).some(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
}

/**
 * Exported functions that other rooms use without a docstring right above; the further signatures
 * of an overload need none.
 */
function undocumented(files: Source[]): string[] {
  const exported = /^export (?:async )?(?:function\*? ?|const )(\w+)[^\n]*/gm
  const isFunction = (text: string): boolean =>
    /^export (async )?function/.test(text) ||
    /^export const \w+(: [^=]+)?\s*=\s*(async\s*)?(<[^=]*?>\s*)?(\(|\w+\s*=>|function\b)/.test(text)
  const isUsed = usedOutside(files)
  return files.flatMap((source) =>
    [...source.text.matchAll(exported)]
      .filter((match) => isFunction(source.text.slice(match.index)))
      .filter((match) => {
        const above = source.text.slice(0, match.index).trimEnd().split('\n').at(-1) ?? ''
        return !above.endsWith('*/') && !above.startsWith(`export function ${match[1]}(`)
      })
      .filter((match) => isUsed(source.path, match[1] ?? ''))
      .map((match) => `${source.path}: ${match[1]} has no docstring`),
  )
}

const FILLERS = new Set(
  'a an the of as it its is are be in on to for with by from or and this that one returns return whether reports row rows stored'.split(
    ' ',
  ),
)
const stemOf = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(es|s|ed|ing)$/, '')
    .replace(/e$/, '')

/** Docstrings of one line that say no word beyond the name, of what only its own room uses. */
function repeating(files: Source[]): string[] {
  const documented =
    /^\/\*\* ([^\n]*?) ?\*\/\n(export )?(?:async )?(?:function\*? ?|const |interface |type |class )(\w+)/gm
  const isUsed = usedOutside(files)
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(documented)]
      .filter(([, says = '', , name = '']) => {
        const known = name
          .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
          .split(/[\s_]+/)
          .map(stemOf)
        const words = says
          .replace(/[.`*/,]/g, ' ')
          .split(/\s+/)
          .filter(Boolean)
        return words.every(
          (word) => FILLERS.has(word.toLowerCase()) || known.includes(stemOf(word)),
        )
      })
      .filter(([, , exported, name = '']) => !exported || !isUsed(path, name))
      .map((match) => `${path}: the docstring of ${match[3]} repeats it`),
  )
}

function tooLong(files: Source[]): string[] {
  return files
    .filter(({ path }) => !LONG_DATA.includes(path))
    .map((source) => ({
      path: source.path,
      lines: codeOf(source)
        .split('\n')
        .filter((line) => line.trim() !== '').length,
    }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
}
