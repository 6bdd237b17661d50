import { describe, expect, test } from 'bun:test'

import {
  allOf,
  entryAt,
  isGroup,
  readFilter,
  writeFilter,
} from '../../../src/console/parts/filter/model'

const FILTERS = [
  { all: [{ field: 'country', op: 'eq', value: 'DE' }] },
  {
    any: [
      { field: 'tags', op: 'exists', value: false },
      { all: [{ field: 'attributes.vip', op: 'eq', value: false }] },
    ],
  },
  { not: { any: [{ field: 'consent', op: 'in', value: ['opted_out'] }] } },
]

describe('a filter that is edited', () => {
  test.each(FILTERS)('is written as it was read: %j', (filter) => {
    expect(writeFilter(readFilter(filter)).filter).toEqual(filter)
  })

  test('becomes a group if it is one condition, and means the same if it is none of two', () => {
    const one = { field: 'country', op: 'eq', value: 'DE' }
    expect(writeFilter(readFilter(one)).filter).toEqual({ all: [one] })
    expect(writeFilter(readFilter({ not: { all: [one, one] } })).filter).toEqual({
      not: { any: [{ all: [one, one] }] },
    })
    expect(writeFilter(readFilter('nonsense')).filter).toBeNull()
  })

  test('leaves out what says too little, and still finds what the server refuses', () => {
    const root = readFilter({
      all: [
        { field: 'tags', op: 'in', value: [] },
        { any: [{ field: 'country', op: 'eq', value: 'X' }] },
      ],
    })
    const written = writeFilter(root)
    expect(written.filter).toEqual({ all: [{ any: [{ field: 'country', op: 'eq', value: 'X' }] }] })
    const [, group] = root.entries
    const country = group && isGroup(group) ? group.entries[0]?.id : null
    expect(entryAt(written, 'body.filter.all.0.any.0.value')).toBe(country ?? '')
    expect(entryAt(written, 'body.filter')).toBeNull()
  })

  test('keeps its paths when it is joined with others', () => {
    const [simple, any] = FILTERS
    const other = { field: 'tags', op: 'in', value: ['a'] }
    expect(allOf(simple, null, other)).toEqual({ all: [...(simple?.['all'] ?? []), other] })
    const root = readFilter(any)
    expect(allOf(any, other)).toEqual({ all: [any, other] })
    expect(entryAt(writeFilter(root), 'body.filter.all.0.any.0.op')).toBe(root.entries[0]?.id ?? '')
  })
})
