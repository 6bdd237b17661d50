import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const CONSOLE = join(ROOT, 'src/console')
const document = JSON.parse(readFileSync(join(ROOT, 'tests/contract/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { description?: string }>>
}

/** Areas that only another area opens, which asks for what they need. */
const OPENED_BY: Readonly<Record<string, string>> = { 'settings/signup': 'settings/number' }

/** Routes that ask with a body and change nothing. */
const READS = /\/(?:search|preview|dry-run|validate|test)$/

/** The permissions that each operation names, any of which suffices. */
const permissionsOf = new Map<string, string[]>(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description = '' }]) => {
      const [, required = ''] = /Requires ([^.]*)\./.exec(description) ?? []
      const pairs = [...required.matchAll(/`([a-z_]+:[a-z_]+)`/g)].map(([, pair = '']) => pair)
      return [`${method.toUpperCase()} ${path}`, pairs] as const
    }),
  ),
)

/** The area of a page: its folder; of settings the one below. */
function areaOf(file: string): string {
  const [area = '', inner = '', ...deeper] = file.split('/')
  return area === 'settings' && deeper.length > 0 ? `${area}/${inner}` : area
}

const sources = await Promise.all(
  [...new Bun.Glob('**/*.{ts,tsx}').scanSync(join(CONSOLE, 'pages'))].map(async (file) => ({
    area: areaOf(file),
    file,
    text: await Bun.file(join(CONSOLE, 'pages', file)).text(),
  })),
)

/** The permissions that the code of each area asks for. */
const askedIn = Map.groupBy(sources, ({ area }) => area)
const isAsked = (area: string, pair: string): boolean =>
  (askedIn.get(area) ?? []).some(
    ({ text }) => text.includes(`'${pair}'`) || text.includes(`"${pair}"`),
  )

describe('a page', () => {
  test('asks for the permission of everything that it changes', () => {
    const changes = sources.flatMap(({ area, file, text }) =>
      [...text.matchAll(/['"]((?:POST|PUT|DELETE) \/api\/[^'"]*)['"]/g)].map(([, route = '']) => ({
        area,
        file,
        route,
        pairs: permissionsOf.get(route) ?? [],
      })),
    )
    expect(changes.length).toBeGreaterThan(100)
    const unasked = changes.filter(
      ({ area, route, pairs }) =>
        pairs.length > 0 &&
        !READS.test(route) &&
        !pairs.some((pair) => isAsked(area, pair) || isAsked(OPENED_BY[area] ?? '', pair)),
    )
    expect(
      unasked.map(({ file, route, pairs }) => `${file}: ${route} (${pairs.join(', ')})`),
    ).toEqual([])
  })
})
