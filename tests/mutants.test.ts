import { describe, expect, test } from 'bun:test'

import { sourcesOf, testsOf } from './mutants/concerned'
import { patternOf, rangesOf, sampleOf, type Range } from './mutants/sample'

describe('a sample of mutations', () => {
  const range = (line: number, start: number, end: number): Range => ({
    file: 'a.ts',
    start: { line, column: start },
    end: { line, column: end },
  })
  const lines = Array.from({ length: 40 }, (_, line) => [range(line, 0, 10), range(line, 2, 4)]).flat()

  test('is the same for the same seed and another one for another', () => {
    const of = (seed: string): string[] => sampleOf(lines, { size: 10, seed }).ranges.map(patternOf)
    expect(of('1')).toEqual(of('1'))
    expect(of('1')).not.toEqual(of('2'))
  })

  test('counts what lies within a chosen stretch, once, and never more than it may', () => {
    expect(sampleOf([range(0, 0, 10), range(0, 2, 4), range(0, 2, 4)], { size: 10, seed: '1' }).mutations).toBe(3)
    for (const size of [1, 2, 7, 30]) expect(sampleOf(lines, { size, seed: '1' }).mutations).toBe(size)
    expect(sampleOf(lines, { size: 1_000, seed: '1' }).mutations).toBe(80)
  })

  test('leaves out stretches that would fill it alone', () => {
    const inner = Array.from({ length: 9 }, (_, nth) => range(0, nth, nth + 1))
    expect(sampleOf([range(0, 0, 20), ...inner], { size: 100, seed: '1' }).mutations).toBe(9)
  })

  test('is written as the mutation tester reads it: lines from 1, columns from 0', () => {
    expect(patternOf(range(4, 2, 9))).toBe('a.ts:5:2-5:9')
  })

  test('is drawn from what the mutation tester finds', async () => {
    const all = await rangesOf(['src/platform/signature.ts'])
    expect(all.length).toBeGreaterThan(20)
    expect(new Set(all.map(({ file }) => file))).toEqual(new Set(['src/platform/signature.ts']))
  })
})

describe('the tests that concern a folder', () => {
  test.each([
    ['src/modules/exports', 'tests/modules/exports/exports.test.ts'],
    ['src/modules/messages/sending', 'tests/modules/messages/pace.test.ts'],
    ['src/modules/campaigns', 'tests/flows/campaign-killed.test.ts'],
    ['src/infra/idempotency', 'tests/infra/idempotency/idempotency.test.ts'],
    ['src/infra/throttle', 'tests/modules/auth/login.test.ts'],
  ])('of %s are among others %s', (folder, file) => {
    expect(testsOf(folder)).toContain(file)
    expect(sourcesOf(folder).length).toBeGreaterThan(0)
  })

  test('of a folder without tests of its own are none', () => {
    expect(testsOf('src/modules/nothing')).toEqual([])
  })
})
