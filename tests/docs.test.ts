import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { readConfig } from '../src/config'
import { variables } from '../src/environment'
import { nearEndOf } from '../src/lib/graph-versions'
import { PERMISSIONS } from '../src/modules/organization/roles/catalog'
import { sectionOf } from '../src/release/changelog'
import { VERSION } from '../src/version'
import { TABLES, withTable } from './readme'
import { ownImportsOf, readSources } from './support/sources'

const root = join(import.meta.dir, '..')
const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? [`${path}${one.name}/`] : [],
  )
/** The areas of modules. A text names a file of a module without its area. */
const AREAS = foldersIn('src/modules/')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Pages of a folder. */
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const packageJson = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** The types of Bun have its version. */
const BUN_VERSION = packageJson.devDependencies['bun-types'] ?? ''

describe('README.md', () => {
  test('is short', () => {
    const lines = read('README.md').split('\n')
    expect(lines.length).toBeLessThanOrEqual(150)
  })

  test('links only to files that exist, as the pages of the documentation do', () => {
    const pages = [
      'README.md',
      'src/platform/README.md',
      ...pagesIn('src/docs'),
      ...pagesIn('.github'),
    ]
    const missing = pages.flatMap((page) =>
      [...read(page).matchAll(/(?:\]\(|src=")([^)"#:]+)(?:#[^)]*)?[)"]/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !link.startsWith('/') && !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    )
    expect(missing).toEqual([])
  })

  test('links only to headings that exist, as the pages of the documentation do', () => {
    const pages = ['README.md', ...pagesIn('src/docs'), ...pagesIn('.github')]
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(([, link = '', heading = '']) => ({
        page,
        target: link === '' ? page : join(dirname(page), link),
        heading,
      })),
    )
    const headingsOf = (page: string): (string | undefined)[] =>
      [
        ...Bun.markdown
          .html(read(page), { headings: { ids: true } })
          .matchAll(/<h\d id="([^"]+)"/g),
      ].map(([, id]) => id)
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter(({ target, heading }) => !headingsOf(target).includes(heading))).toEqual([])
  })

  test('names the two commands that do everything', () => {
    const head = read('README.md').split('\n').slice(0, 40).join('\n')
    for (const script of ['start', 'verify'])
      expect(head).toContain(`npx -y bun@${BUN_VERSION} run ${script}`)
    expect(read('.ci/run')).toContain('run verify')
  })

  test('shows on its first screen what it is, the demo, and how to try it', () => {
    const [title = '', what = '', ...rest] = read('README.md').split('\n\n')
    const screen = rest.join('\n\n').split('\n## Start')[0] ?? ''
    expect(title).toBe('# Switchboard')
    expect(what).toContain('WhatsApp')
    for (const name of ['film.webp', 'phone.webp', './switchboard demo', 'docker run'])
      expect(screen).toContain(name)
    const [first = ''] = /^(?:npx|\.\/|docker) .*/m.exec(screen) ?? []
    expect(first).toStartWith(`npx -y bun@${BUN_VERSION} run demo`)
  })

  test('says on its first screen that there is no release, as long as there is none', () => {
    const hasRelease = /^## \[\d.*\] - \d{4}-\d{2}-\d{2}$/m.test(read('src/CHANGELOG.md'))
    const [screen = ''] = read('README.md').split('\n## Start')
    expect(screen.includes('There is no release yet.')).toBe(!hasRelease)
  })
})

describe('the pages for contributors', () => {
  const contributing = read('.github/CONTRIBUTING.md')

  test('name only scripts that exist', () => {
    const pages = ['README.md', ...pagesIn('.github'), '.devcontainer/devcontainer.json']
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/bun(?:@[\d.]+)? run ([\w:]+)/g)].map(([, name = '']) => name),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !(name in packageJson.scripts))).toEqual([])
  })

  test('name every script, except parts of others', () => {
    const table = contributing.split('## Scripts\n')[1] ?? ''
    const listed = [...table.matchAll(/`bun (?:run )?([\w:]+)/g)].map(([, name = '']) => name)
    const isPart = (name: string): boolean => /^check:|^build:|^deps$/.test(name)
    const scripts = Object.keys(packageJson.scripts).filter((name) => !isPart(name))
    expect(listed.toSorted()).toEqual(scripts.toSorted())
  })

  test('name only paths that exist', () => {
    expect(pathsIn(contributing).length).toBeGreaterThan(15)
    expect(pathsIn(contributing).filter((path) => !lies(path))).toEqual([])
  })

  test('take half an hour, all steps together', () => {
    const minutes = [...contributing.matchAll(/^\d\. \*\*.+\*\* \((\d+) minutes?\)/gm)]
    expect(minutes).toHaveLength(8)
    expect(minutes.reduce((sum, [, part]) => sum + Number(part), 0)).toBeLessThanOrEqual(30)
  })
})

describe('a generated table', () => {
  test.each(TABLES)('in $page is as the code has it ($name)', ({ page, name, write }) => {
    const text = read(page)
    if (text !== withTable(text, name, write()))
      throw new Error(`the table in ${page} is not up to date: run "bun run readme"`)
  })

  test('can only be replaced where its markers are', () => {
    expect(withTable('a\n<!-- t -->\nold\n<!-- /t -->\nb', 't', 'new')).toBe(
      'a\n<!-- t -->\nnew\n<!-- /t -->\nb',
    )
    for (const text of ['nothing', '<!-- t -->\nno end', 'no start\n<!-- /t -->'])
      expect(() => withTable(text, 't', 'x')).toThrow('once each')
  })
})

/**
 * Paths a text names between backticks: those that begin with a folder of ours or are a file of
 * ours.
 */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? '')
  return quoted.filter(
    (word) =>
      /^(src|tests|drizzle)\/[\w./-]*$/.test(word) || /^[\w-]+\/[\w/-]+\.(ts|sql|json)$/.test(word),
  )
}

/** Where a named path may lie: as written, or below the folders that the text talks about. */
const lies = (path: string): boolean =>
  ['', 'src/', ...AREAS].some((folder) => existsSync(join(root, folder + path)))

test('the hosts to allow are those that the server calls without further settings', () => {
  const section =
    read('src/docs/operate.md').split('## Hosts to allow\n')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `([^`]+)` \|.*\(`(PLATFORM_\w+)`\) \|$/gm)]
  const named = rows.map(([, host = '', variable = '']) => [variable, host])
  const { platformBaseUrl, platformArchiveUrl, platformMediaHosts } = readConfig({})
  expect(named).toEqual([
    ['PLATFORM_BASE_URL', new URL(platformBaseUrl).host],
    ...platformMediaHosts.map((host) => ['PLATFORM_MEDIA_HOSTS', host]),
    ['PLATFORM_ARCHIVE_URL', new URL(platformArchiveUrl).host],
  ])
})

describe('src/platform/README.md', () => {
  const page = read('src/platform/README.md')
  const rowsBelow = (title: string): string[][] =>
    (page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .filter(([first = '']) => !['Not known', 'Date'].includes(first))

  test('gives a test for everything that is not verified', () => {
    const rows = rowsBelow('Not verified')
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ''))).toEqual(
      [],
    )
  })

  test('names the end of each version of the Graph API as the server knows it, in order', () => {
    const dates = rowsBelow('Dates ahead')
    const ends = dates.flatMap(([date = '', what = '']) => {
      const version = /^Graph API (v\d+\.\d+)\b.* ends$/.exec(what)?.[1]
      return version === undefined ? [] : [{ date, version }]
    })
    expect(ends.map(({ version }) => version)).toEqual([
      'v21.0',
      'v22.0',
      'v23.0',
      'v24.0',
      'v25.0',
    ])
    for (const { date, version } of ends)
      expect(nearEndOf(version, Date.parse(date) - 1)?.sentence).toEndWith(`until ${date}.`)
  })
})

describe('src/ARCHITECTURE.md', () => {
  const architecture = read('src/ARCHITECTURE.md')

  test('names only paths that exist', () => {
    expect(pathsIn(architecture).length).toBeGreaterThan(15)
    expect(pathsIn(architecture).filter((path) => !lies(path))).toEqual([])
  })

  test('the search for paths finds what does not exist', () => {
    expect(pathsIn('see `src/no/such.ts`, `messages/store.ts`, `bun run x` and `tests/`')).toEqual([
      'src/no/such.ts',
      'messages/store.ts',
      'tests/',
    ])
    expect(
      ['src/no/such.ts', 'messages/store.ts', 'tests/', 'messages/never.ts'].filter(
        (path) => !lies(path),
      ),
    ).toEqual(['src/no/such.ts', 'messages/never.ts'])
  })

  test('gives a reason for every dependency, and for nothing else', () => {
    const [, section = ''] = read('src/decisions/dependencies.md').split('## Dependencies')
    const rows = (section.split('\n## ')[0] ?? '')
      .split('\n')
      .filter((line) => /^\| [@a-z]/.test(line))
    const reasons = new Map(
      rows
        .map((row) => row.split('|'))
        .flatMap(([, names = '', reason = '']) =>
          names.split(',').map((name) => [name.trim(), reason.trim()] as const),
        ),
    )
    const dependencies = Object.keys({
      ...packageJson.dependencies,
      ...packageJson.devDependencies,
    })
    expect([...reasons.keys()].toSorted()).toEqual(dependencies.toSorted())
    expect([...reasons].filter(([, reason]) => reason === '')).toEqual([])
  })

  test('is at most 250 lines of 100 columns', () => {
    const lines = architecture.split('\n')
    expect(lines.length).toBeLessThanOrEqual(250)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  })

  test('shows the ways through the code, each in at most six files that exist', () => {
    const [, section = ''] = architecture.split('## Ways through the code')
    const ways = (section.split('\n## ')[0] ?? '').split(/^\*\*/m).slice(1)
    const files = ways.map((way) =>
      [...way.matchAll(/^\d\. `([^`]+)`/gm)].map(([, path = '']) => path),
    )
    expect(files).toHaveLength(5)
    for (const way of files) {
      expect(way.length).toBeGreaterThan(2)
      expect(way.length).toBeLessThanOrEqual(6)
      expect(way.filter((path) => !lies(path))).toEqual([])
    }
  })

  test('names in each way only files that one named before imports, or workers', () => {
    const sources = readSources('src')
    const [, section = ''] = architecture.split('## Ways through the code')
    const ways = (section.split('\n## ')[0] ?? '').split(/^\*\*/m).slice(1)
    const unreached = ways.flatMap((way) => {
      const paths = [...way.matchAll(/`(\w[\w-]*\/[\w/-]+\.ts)`/g)].map(
        ([, path = '']) =>
          `${AREAS.find((area) => existsSync(join(root, area + path))) ?? ''}${path}`,
      )
      return paths.slice(1).filter((path, before) => {
        const earlier = sources.filter((source) => paths.slice(0, before + 1).includes(source.path))
        const reached = earlier.flatMap((source) => ownImportsOf(source, sources))
        return !path.endsWith('/workers.ts') && !reached.some(({ target }) => target === path)
      })
    })
    expect(unreached).toEqual([])
  })

  test('names every module', () => {
    const modules = AREAS.flatMap(foldersIn).map((path) => basename(path))
    expect(modules.filter((name) => !architecture.includes(`\`${name}\``))).toEqual([])
  })
})

test('every dependency is pinned exactly, and the lock file names no host', () => {
  const versions = Object.values({ ...packageJson.dependencies, ...packageJson.devDependencies })
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  expect(read('bun.lock')).not.toMatch(/https?:\/\//)
})

test('the changelog tells what is not released yet, or what the release of this version has', () => {
  const changelog = read('src/CHANGELOG.md')
  const [, unreleased = ''] =
    /^## \[Unreleased\]\n(.*?)(?=^## \[|(?![\s\S]))/ms.exec(changelog) ?? []
  const text = unreleased.trim() === '' ? sectionOf(changelog, VERSION).text : unreleased
  expect(text).toMatch(/^### (Added|Changed|Fixed|Removed|Security|Deprecated)\n\n- /m)
})

test('every permission is a resource and an action, and every one the code names is in the catalogue', () => {
  expect([...PERMISSIONS].filter((permission) => !/^[a-z_]+:[a-z_]+$/.test(permission))).toEqual([])
  const named = readSources('src')
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bcan: '([^']+)'|hasPermission\([\w.]+, '([^']+)'\)/g)].map((match) => ({
        path,
        permission: match[1] ?? match[2] ?? '',
      })),
    )
    .filter(
      ({ permission }) => !['session', 'signed-in', 'super-admin', 'public'].includes(permission),
    )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ permission }) => !PERMISSIONS.has(permission as never))).toEqual([])
})

test('guides name only operations that the API has', () => {
  const { paths } = JSON.parse(read('tests/contract/openapi.json')) as {
    paths: Record<string, Record<string, unknown>>
  }
  const plain = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '{}')
  const known = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${plain(path)}`),
  )
  const named = pagesIn('src/docs').flatMap((page) =>
    [...read(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]*)/g)].map(
      ([, method = '', path = '']) => ({ page, operation: `${method} ${plain(path)}` }),
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ operation }) => !known.includes(operation))).toEqual([])
})

test('the server and its console link only to guides that exist', () => {
  const linked = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync({ cwd: root })].flatMap((path) =>
    [...read(path).matchAll(/['"`]\/docs\/([a-z-]+)['"`?#]/g)].map(([, name = '']) => name),
  )
  expect(linked).toContain('meta')
  expect(linked.filter((name) => !existsSync(join(root, `src/docs/${name}.md`)))).toEqual([])
})

test('every setting is used by the program', () => {
  const config = read('src/config.ts')
  expect(
    variables()
      .filter(([name]) => !config.includes(`values.${name}`))
      .map(([name]) => name),
  ).toEqual([])
})
