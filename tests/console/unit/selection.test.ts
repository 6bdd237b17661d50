import { describe, expect, test } from 'bun:test'

import { extended, NOTHING, toggled } from '../../../src/console/parts/selection'

const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id }))
const idsOf = ({ ids }: { ids: ReadonlySet<string> }): string => [...ids].toSorted().join('')

/** The selection after walking with Shift through some rows, the first of which has the focus. */
const walked = (path: string, before = NOTHING) =>
  [...path.slice(1)].reduce(
    (state, id, nth) => extended(state, items, { id, from: path[nth] }),
    before,
  )

describe('walking with Shift', () => {
  test('selects from the row with the focus on', () => {
    expect(idsOf(walked('bcd'))).toBe('bcd')
    expect(idsOf(walked('dcb'))).toBe('bcd')
  })

  test('selects less on the way back, and more on the other side', () => {
    expect(idsOf(walked('bcdcb'))).toBe('b')
    expect(idsOf(walked('cdcba'))).toBe('abc')
  })

  test('keeps what was selected besides', () => {
    const single = toggled(NOTHING, 'e')
    expect(idsOf(walked('abcb', single))).toBe('abe')
    expect(idsOf(walked('defed', single))).toBe('de')
  })

  test('begins a new range from another row', () => {
    expect(idsOf(walked('ef', walked('abc')))).toBe('abcef')
  })
})

describe('a range to a row', () => {
  test('begins at the row that was selected last, and is moved by another one', () => {
    const first = toggled(NOTHING, 'b')
    const far = extended(first, items, { id: 'e' })
    expect(idsOf(far)).toBe('bcde')
    expect(idsOf(extended(far, items, { id: 'c' }))).toBe('bc')
    expect(idsOf(extended(far, items, { id: 'a' }))).toBe('ab')
  })

  test('is the row alone when its beginning left the list', () => {
    const first = toggled(NOTHING, 'gone')
    expect(idsOf(extended(first, items, { id: 'c' }))).toBe('cgone')
  })

  test('is no longer all that match', () => {
    const all = { ...toggled(NOTHING, 'b'), isAll: true, all: 100 }
    expect(extended(all, items, { id: 'c' })).toMatchObject({ isAll: false, all: null })
  })
})

test('a range over rows that are not loaded is its end alone', () => {
  const rows = ['a', 'b', 'y', 'z'].map((id) => ({ id }))
  const gaps = new Set(['y'])
  const from = toggled(NOTHING, 'a')
  expect([...extended(from, rows, { id: 'b', gaps }).ids]).toEqual(['a', 'b'])
  expect([...extended(from, rows, { id: 'z', gaps }).ids].toSorted()).toEqual(['a', 'z'])
})
