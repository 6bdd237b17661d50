import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { late } from '../../../src/console/texts/en-late'

const FOLDER = join(import.meta.dir, '../../../src/console')

/** Files that name screens, which are loaded with the late texts. */
const NAME_SCREENS = /app\/(?:[a-z]+-)?screens\.ts$/
const STATIC = /^(?:import|export) (?!type )[^'"=]*? from '(\.[^']+)'/gm
const LAZY = /\bimport\('(\.[^']+)'\)/g

function fileOf(from: string, name: string): string | null {
  const path = join(dirname(from), name)
  return [`${path}.ts`, `${path}.tsx`].find((one) => existsSync(one)) ?? null
}

/** Returns the code that may run before a screen is opened, but for the inbox. */
function earlyCode(): Map<string, string> {
  const found = new Map<string, string>()
  const queue = [join(FOLDER, 'main.tsx')]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue
    const text = readFileSync(path, 'utf8')
    found.set(path, text)
    const patterns = NAME_SCREENS.test(path) ? [STATIC] : [STATIC, LAZY]
    for (const [, name = ''] of patterns.flatMap((one) => [...text.matchAll(one)])) {
      const file = fileOf(path, name)
      if (file !== null && !file.includes('/texts/')) queue.push(file)
    }
  }
  return found
}

test('no text of a screen is used by code that runs before one is opened', () => {
  const code = earlyCode()
  expect(code.size).toBeGreaterThan(150)
  const names = Object.keys(late)
  const found = [...code].flatMap(([path, text]) => {
    const composed = [...text.matchAll(/`([a-z][\w-]*\.[\w.-]*)\$\{/g)].map(
      ([, start = '']) => start,
    )
    return names
      .filter((name) => text.includes(`'${name}'`) || composed.some((one) => name.startsWith(one)))
      .map((name) => `${path.slice(FOLDER.length)}: ${name}`)
  })
  expect(found).toEqual([])
})
