/** What is in the executable, as its source maps tell. */
import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { listOfPackages } from '../../src/release/files'

const ROOT = join(import.meta.dir, '../..')
const BUILT = join(ROOT, 'dist')

let maps: string[]

beforeAll(() => {
  maps = readdirSync(BUILT)
    .filter((name) => name.endsWith('.map'))
    .map((name) => readFileSync(join(BUILT, name), 'utf8'))
})

test('no file tells the folder that it was built in, so that each build has the same bytes', () => {
  expect(maps.length).toBeGreaterThan(10)
  for (const text of [readFileSync(join(BUILT, 'switchboard'), 'latin1'), ...maps])
    expect(text.includes(ROOT)).toBe(false)
})

test('all packages in it are in the list of packages', () => {
  const paths = maps.flatMap((text) => (JSON.parse(text) as { sources: string[] }).sources)
  const packages = paths.flatMap((path) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return name === undefined ? [] : [name]
  })
  expect(new Set(packages).size).toBeGreaterThan(50)
  const { components } = listOfPackages() as { components: { group?: string; name: string }[] }
  const listed = components.map(({ group, name }) => (group ? `${group}/${name}` : name))
  expect([...new Set(packages)].filter((name) => !listed.includes(name))).toEqual([])
})
