import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { sourcesOf, testsOf, testsOfDeclarations } from './mutants/concerned'
import { reachedIn, stepsFor } from './mutants/baseline'
import { MISTAKES } from './mutants/mistakes'
import { instrumented, mutationsOf, nameOf, sampleOf, type Mutation } from './mutants/sample'
import { patternOf, testsIn, type TestResult } from './mutants/test-run'

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
    const found = await mutationsOf(['src/modules/data/exports/routes.ts'])
    expect(found.length).toBeGreaterThan(20)
    expect(found.map(nameOf).filter((name) => name.includes('summary'))).toEqual([])
  })
})

test('mistakes of people are made: a condition, an order or a reset left out, a fallback turned round, the next column', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'switchboard-mistakes-')), 'verbs.ts')
  writeFileSync(
    file,
    `const open = tx.select().from(tags).where(and(eq(tags.name, name), isOpen)).orderBy(desc(order)).get()
     tx.update(rows).set({ note: null, count: 0 }).where(inOrganization(ctx, rows, isOpen)).run()
     const shown = given ?? usual
     this.waiting = null
     this.seen.clear()`,
  )
  const made = (await mutationsOf([file])).filter(({ kind }) => MISTAKES.has(kind))
  rmSync(dirname(file), { recursive: true })
  expect(
    made
      .map(({ kind, replacement }) => `${kind} ${replacement.replaceAll(/\s+/g, ' ')}`)
      .toSorted(),
  ).toEqual([
    'DroppedCondition and(eq(tags.name, name))',
    'DroppedCondition and(isOpen)',
    'DroppedCondition inOrganization(ctx, rows)',
    'DroppedOrder tx.select().from(tags).where(and(eq(tags.name, name), isOpen))',
    'LeftOutReset ;',
    'LeftOutReset ;',
    'LeftOutReset { count: 0 }',
    'LeftOutReset { note: null }',
    'NeighboringColumn tags.nameKey',
    'SwappedFallback usual ?? given',
  ])
})

test('the sample is placed in the source files, each mutation behind a switch of its own', async () => {
  const sample = sampleOf(await mutationsOf(['src/modules/data/exports/routes.ts']), {
    size: 10,
    seed: '1',
  })
  const { files, byId } = await instrumented(sample)
  expect([...byId.values()].map(nameOf).toSorted()).toEqual(sample.map(nameOf).toSorted())
  const text = files.map(({ content }) => content).join('\n')
  for (const id of byId.keys()) expect(text).toContain(`stryMutAct_9fa48("${id}")`)
})

describe('a report of the test runner', () => {
  const report = `
tests/a.test.ts:
(pass) adds a note [354.55ms]
(pass) without a time
(skip) left out
error: expect(received).toBe(expected)
(fail) a group > of tests > shows 1.5 (or more) [2.50s]
`

  test('says which tests ran, in their order, and how long they took', () => {
    expect(testsIn(report)).toEqual([
      { name: 'adds a note', hasPassed: true, tookMs: 354.55 },
      { name: 'without a time', hasPassed: true, tookMs: 0 },
      { name: 'a group > of tests > shows 1.5 (or more)', hasPassed: false, tookMs: 2_500 },
    ])
  })

  test('names tests so that a pattern selects exactly these', () => {
    const pattern = new RegExp(patternOf(testsIn(report).map(({ name }) => name)))
    for (const name of ['adds a note', 'a group of tests shows 1.5 (or more)'])
      expect(pattern.test(name)).toBe(true)
    for (const name of ['adds a note twice', 'of tests shows 1.5 (or more)', 'left out'])
      expect(pattern.test(name)).toBe(false)
  })
})

describe('the tests to run for a mutation', () => {
  const tests = (...names: string[]): TestResult[] =>
    names.map((name, nth) => ({ name, hasPassed: true, tookMs: 100 * (nth + 1) }))
  const baseline = (file: string, names: string[], record: string) => ({
    file,
    tests: tests(...names),
    reached: reachedIn(record, tests(...names)),
    tookMs: 5_000,
  })
  const baselines = [
    baseline('b.test.ts', ['b0', 'b1', 'b2'], '0 7\n1 7\n1 8\n2 7\n2 8\n2 9\n'),
    baseline('a.test.ts', ['a0', 'a1'], 'file 5\n0 7\n0 8\n'),
  ]
  const of = (id: string) =>
    stepsFor(id, baselines).map(({ file, only }) => `${file} ${only?.join(', ') ?? 'all'}`)

  test('begin with the one that reaches the fewest mutations, then go file by file', () => {
    expect(of('7')).toEqual(['b.test.ts b0', 'a.test.ts a0', 'b.test.ts b1, b2'])
    expect(of('9')).toEqual(['b.test.ts b2'])
  })

  test('are all of a file that reaches it outside of its tests', () => {
    expect(of('5')).toEqual(['a.test.ts all'])
  })

  test('are none when none reaches it', () => {
    expect(of('6')).toEqual([])
  })
})

describe('the tests that concern a folder', () => {
  test.each([
    ['src/modules/data/exports', 'tests/modules/data/exports/exports.test.ts'],
    ['src/modules/inbox/messages/outbound', 'tests/modules/inbox/messages/rate-limit.test.ts'],
    ['src/modules/outreach/campaigns', 'tests/flows/campaign-killed.test.ts'],
    ['src/infra/idempotency', 'tests/infra/idempotency/idempotency.test.ts'],
    ['src/infra/throttle', 'tests/modules/organization/auth/login.test.ts'],
  ])('of %s are among others %s', (folder, file) => {
    expect(testsOf(folder)).toContain(file)
    expect(sourcesOf(folder).length).toBeGreaterThan(0)
  })

  test('of a file of routes are those of all routes too', () => {
    expect(testsOfDeclarations(['src/modules/data/exports/routes.ts'])).toContain(
      'tests/permissions.test.ts',
    )
    expect(testsOfDeclarations(['src/modules/data/exports/view.ts'])).toEqual([])
  })

  test('of a folder without tests of its own are none', () => {
    expect(testsOf('src/modules/nothing')).toEqual([])
  })
})
