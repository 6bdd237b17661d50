import { expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'

import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../../../src/console')
const textOf = (path: string): Promise<string> => Bun.file(join(ROOT, path)).text()
const filesOf = (pattern: string): Promise<string[]> =>
  Array.fromAsync(new Glob(pattern).scan({ cwd: ROOT }))

const sources = new Map(
  await Promise.all(
    (await filesOf('**/*.{ts,tsx}')).map(async (path) => [path, await textOf(path)] as const),
  ),
)

/** Classes that rules of a file begin with. */
const classesOf = async (path: string): Promise<string[]> =>
  [...(await textOf(path)).matchAll(/^\s*\.([a-z][\w-]*)[^\n]*[{,]$/gm)].map(
    ([, name = '']) => name,
  )

const late = new Map<string, string[]>()
for (const path of await filesOf('styles/late/*.css'))
  for (const name of new Set(await classesOf(path)))
    late.set(name, [...(late.get(name) ?? []), path])
for (const path of await filesOf('styles/*.css'))
  for (const name of await classesOf(path)) late.delete(name)

/** Resolves what a file imports to a file of the console. */
function resolve(from: string, to: string): string | null {
  const path = relative(ROOT, join(ROOT, dirname(from), to))
  return [`${path}.tsx`, `${path}.ts`].find((one) => sources.has(one)) ?? null
}

/** Returns a file with everything that it imports at once. */
function withImports(path: string): Set<string> {
  const all = new Set([path])
  for (const one of all)
    for (const [, to = ''] of (sources.get(one) ?? '').matchAll(
      /^(?:import|\}).* from '(\..+)'$/gm,
    )) {
      const found = resolve(one, to)
      if (found !== null) all.add(found)
    }
  return all
}

/** Returns the classes that a file gives to elements, as far as they are written there. */
const usedIn = (path: string): string[] =>
  [
    ...(sources.get(path) ?? '').matchAll(/className=(?:"([^"]*)"|\{((?:[^{}]|\{[^}]*\})*)\})/g),
  ].flatMap(([, plain, code = '']) =>
    (
      plain ??
      [...code.matchAll(/['`]([^'`]*)['`]/g)]
        .map(([, text = '']) => text.replaceAll(/\$\{[^}]*(?:\}|$)/g, ' '))
        .join(' ')
    ).split(/[^\w-]+/),
  )

/** The pages that are loaded with styles, and those styles. */
const pages = [...sources].flatMap(([path, text]) => {
  const names = new Map(
    [...text.matchAll(/import (\w+) from '.*styles\/(late\/[\w-]+\.css)'/g)].map(
      ([, name = '', file = '']) => [name, `styles/${file}`] as const,
    ),
  )
  return [...text.matchAll(/\(\) => import\('(\..+?)'\)((?:[\s,.[\]]*\w+Style\b)*)/g)].flatMap(
    ([, to = '', styles = '']) => {
      const page = resolve(path, to)
      const files = [...styles.matchAll(/\w+/g)].flatMap(([name]) => names.get(name) ?? [])
      return page === null ? [] : [{ page, files }]
    },
  )
})
const filesWith = (frame: string): string[] => pages.find(({ page }) => page === frame)?.files ?? []
const SETTINGS = filesWith('pages/settings/settings.tsx')

/** Frames that bring the styles of all pages in their folder. */
const FRAMES = {
  'pages/settings/': SETTINGS,
  'pages/analytics/': filesWith('pages/analytics/analytics.tsx'),
  'pages/bot/': filesWith('pages/bot/area.tsx'),
  'pages/flow/': filesWith('pages/bot/area.tsx'),
  'pages/server/': filesWith('pages/server/area.tsx'),
}

test('the scan sees pages, styles and classes', () => {
  expect(pages.length).toBeGreaterThan(15)
  expect(SETTINGS.length).toBeGreaterThan(1)
  expect(late.get('item-list')).toEqual(['styles/late/pages.css'])
  expect(usedIn('parts/item-list.tsx')).toContain('item-list')
  expect([...withImports('pages/welcome/welcome.tsx')]).toContain('parts/loaded.tsx')
})

test('every page brings the styles of the classes that it uses', () => {
  const missing = pages.flatMap(({ page, files }) => {
    const frame = Object.entries(FRAMES).find(([folder]) => page.startsWith(folder))
    const loaded = new Set<string>([...files, ...(frame?.[1] ?? [])])
    return [...withImports(page)].flatMap((path) =>
      usedIn(path).flatMap((name) => {
        const homes = late.get(name)
        return homes === undefined || homes.some((home) => loaded.has(home))
          ? []
          : [`${page}: .${name} of ${homes.join(', ')} (${path})`]
      }),
    )
  })
  expect([...new Set(missing)]).toEqual([])
})
