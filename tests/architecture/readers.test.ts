import { expect, test } from 'bun:test'
import { posix } from 'node:path'

import { readerCalled } from '../../src/readers'
import { codeOf } from '../support/sources'
import { sources } from './support'

test('a thread knows every read that is declared, each by a name of its own', () => {
  const names = sources.flatMap((source) =>
    [...codeOf(source).matchAll(/\breader\(\s*'([^']+)'/g)].map(([, name]) => name ?? ''),
  )
  expect(names.length).toBeGreaterThan(10)
  expect(names).toEqual([...new Set(names)])
  for (const name of names) expect(readerCalled(name).name).toBe(name)
})

test('a thread that reads loads neither routes nor work, and no heavy package', () => {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const loaded = new Set(['src/read-worker.ts'])
  for (const path of loaded)
    for (const imported of transpiler.scanImports(texts.get(path) ?? ''))
      loaded.add(
        imported.path.startsWith('.')
          ? `${posix.join(posix.dirname(path), imported.path).replace(/\.ts$/, '')}.ts`
          : imported.path,
      )
  expect([...loaded].filter((path) => path.startsWith('src/')).length).toBeGreaterThan(50)
  const heavy = /\/(routes|workers|subscribers)\.ts$|^(elysia|@elysiajs|ai$|@ai-sdk|sharp)/
  expect([...loaded].filter((path) => heavy.test(path))).toEqual([])
})
