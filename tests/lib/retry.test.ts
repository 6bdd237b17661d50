import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fullJitterMs, pauseFrom } from '../../src/lib/retry'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test.each([
  [1, 500],
  [2, 1000],
  [3, 2000],
  [10, 30_000],
  [2000, 30_000],
])('retry %p waits half of its ceiling at random value one half', (attempt, ms) => {
  expect(fullJitterMs({ attempt, baseMs: 1000, capMs: 60_000, random: () => 0.5 })).toBe(ms)
})

test('the delay is an integer from 0 to below the ceiling', () => {
  fc.assert(
    fc.property(fc.integer({ min: -3, max: 5000 }), chance, (attempt, luck) => {
      const ms = fullJitterMs({ attempt, baseMs: 250, capMs: 9000, random: () => luck })
      expect(Number.isInteger(ms)).toBeTrue()
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(9000)
    }),
  )
})

test.each([
  [1, 2000],
  [3, 60_000],
  [4, 60_000],
  [99, 60_000],
])('the list limits the delay of retry %p to %p ms', (attempt, ms) => {
  expect(pauseFrom([2, 5, 60], attempt, () => 0)).toBe(0)
  expect(pauseFrom([2, 5, 60], attempt, () => 0.9999)).toBeWithin(ms * 0.99, ms)
})

test('an empty list means no delay', () => {
  expect(pauseFrom([], 1, () => 0.5)).toBe(0)
})
