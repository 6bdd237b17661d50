import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { withKept } from '../../../src/console/live/ui'

const sizeOf = (kept: object): number => new TextEncoder().encode(JSON.stringify(kept)).length

test('each screen keeps its own, and the one that was changed last comes last', () => {
  const one = withKept({}, 'table.contacts', { columns: ['town'] })
  const two = withKept(one, 'welcome', { hidden: true })
  const three = withKept(two, 'table.contacts', { columns: [] })
  expect(Object.entries(three)).toEqual([
    ['welcome', { hidden: true }],
    ['table.contacts', { columns: [] }],
  ])
  expect(withKept(three, 'welcome', undefined)).toEqual({ 'table.contacts': { columns: [] } })
})

test('the oldest goes when there is no room, counted in bytes', () => {
  const kib = 'ä'.repeat(512)
  const full = Array.from({ length: 15 }, (_, nth) => `screen-${nth}`).reduce(
    (kept, screen) => withKept(kept, screen, kib),
    {},
  )
  expect(Object.keys(full)).toHaveLength(15)
  const next = withKept(full, 'next', 'ä'.repeat(700))
  expect(Object.keys(next).at(0)).toBe('screen-1')
  expect(Object.keys(next).at(-1)).toBe('next')
  expect(Object.keys(next)).toHaveLength(15)
  const renewed = withKept(next, 'screen-1', kib)
  expect(Object.keys(withKept(renewed, 'more', kib))).not.toContain('screen-2')
  for (const kept of [full, next, renewed]) expect(sizeOf(kept)).toBeLessThanOrEqual(16 * 1_024)
})

test('no two screens keep something under the same name', async () => {
  const root = join(import.meta.dir, '../../../src/console')
  const names = new Map<string, Set<string>>()
  for (const file of new Bun.Glob('{pages,parts}/**/*.{ts,tsx}').scanSync(root)) {
    const text = await Bun.file(join(root, file)).text()
    const screen = /^const SCREEN = '([^']+)'/m.exec(text)?.[1] ?? ''
    const add = (name: string): void => {
      names.set(name, (names.get(name) ?? new Set()).add(file))
    }
    for (const [, name = ''] of text.matchAll(/\bkeepUi\('([^']+)'/g)) add(name)
    if (/\bkeepUi\(SCREEN\b/.test(text)) add(screen)
    for (const [, name = screen] of text.matchAll(/\bcolumnsOf=(?:"([^"]+)"|\{SCREEN\})/g))
      add(`table.${name}`)
  }
  expect(names.size).toBeGreaterThan(4)
  expect([...names].filter(([, files]) => files.size > 1)).toEqual([])
  expect([...names.keys()]).not.toContain('')
})
