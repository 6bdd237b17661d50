import { describe, expect, test } from 'bun:test'

import { sourcesOf, testsOf, testsOfRoutes } from './mutants/concerned'
import { linesOf, testsFor } from './mutants/coverage'
import { mutated, mutationsOf, nameOf, sampleOf, type Mutation } from './mutants/sample'

const mutation = (line: number, start: number, end: number, replacement = ''): Mutation => ({
  file: 'a.ts',
  kind: 'StringLiteral',
  start: { line, column: start },
  end: { line, column: end },
  replacement,
})

describe('a sample of mutations', () => {
  const all = Array.from({ length: 40 }, (_, line) => [
    mutation(line, 0, 10),
    mutation(line, 2, 4),
  ]).flat()

  test('is the same for the same seed and another one for another', () => {
    const of = (seed: string): string[] => sampleOf(all, { size: 10, seed }).map(nameOf)
    expect(of('1')).toEqual(of('1'))
    expect(of('1')).not.toEqual(of('2'))
  })

  test('has as many as it may, none of them twice, and a larger one begins with the smaller', () => {
    for (const size of [1, 2, 7, 80])
      expect(new Set(sampleOf(all, { size, seed: '1' }).map(nameOf)).size).toBe(size)
    expect(sampleOf(all, { size: 1_000, seed: '1' }).slice(0, 7)).toEqual(
      sampleOf(all, { size: 7, seed: '1' }),
    )
  })

  test('is drawn from what the mutation tester finds, without the words of the document', async () => {
    const found = await mutationsOf(['src/modules/exports/routes.ts'])
    expect(found.length).toBeGreaterThan(20)
    expect(found.map(nameOf).filter((name) => name.includes('summary'))).toEqual([])
  })
})

test('a mutation replaces exactly what lies between its two places', () => {
  const text = 'one\ntwo three\nfour\n'
  expect(mutated(text, mutation(1, 4, 9, 'five'))).toBe('one\ntwo five\nfour\n')
  expect(mutated(text, { ...mutation(0, 3, 0), end: { line: 2, column: 0 } })).toBe('onefour\n')
})

describe('the test files for a mutation', () => {
  const runOf = (test: string, tookMs: number, hits: string) => ({
    test,
    tookMs,
    lines: linesOf(`SF:a.ts\n${hits}\nend_of_record\n`),
  })
  const runs = [
    runOf('tests/commands/doctor.test.ts', 30, 'DA:5,2\nDA:6,0'),
    runOf('tests/docs.test.ts', 20, 'DA:5,1\nDA:6,0'),
    runOf('tests/config.test.ts', 10, 'DA:5,0\nDA:6,0'),
  ]
  const of = (line: number): string[] =>
    testsFor(mutation(line, 0, 1), runs).map(({ test }) => test)

  test('are those that reach its line, the quickest first', () => {
    expect(of(4)).toEqual(['tests/docs.test.ts', 'tests/commands/doctor.test.ts'])
  })

  test('are those that start a process when none reaches it in its own', () => {
    expect(of(5)).toEqual(['tests/commands/doctor.test.ts'])
  })
})

describe('the tests that concern a folder', () => {
  test.each([
    ['src/modules/exports', 'tests/modules/exports/exports.test.ts'],
    ['src/modules/messages/outbound', 'tests/modules/messages/pace.test.ts'],
    ['src/modules/campaigns', 'tests/flows/campaign-killed.test.ts'],
    ['src/infra/idempotency', 'tests/infra/idempotency/idempotency.test.ts'],
    ['src/infra/throttle', 'tests/modules/auth/login.test.ts'],
  ])('of %s are among others %s', (folder, file) => {
    expect(testsOf(folder)).toContain(file)
    expect(sourcesOf(folder).length).toBeGreaterThan(0)
  })

  test('of a file of routes are those of all routes too', () => {
    expect(testsOfRoutes('src/modules/exports/routes.ts').map(({ test: file }) => file)).toContain(
      'tests/permissions.test.ts',
    )
    expect(testsOfRoutes('src/modules/exports/view.ts')).toEqual([])
  })

  test('of a folder without tests of its own are none', () => {
    expect(testsOf('src/modules/nothing')).toEqual([])
  })
})
