import { expect, test } from 'bun:test'

import type { Contact } from '../../../src/console/api/shapes'
import { requestsOf } from '../../../src/console/pages/contacts/bulk-change'

const rows = Array.from({ length: 1_500 }, (_, nth) => ({ id: `c${nth}` }) as Contact)
const matching = { search: 'ana' }
const change = { action: 'delete' } as const

test('selected contacts are named, also more of them than one request takes', () => {
  const selected = { rows, isAll: false, count: rows.length, clear: () => undefined }
  const sent = requestsOf(change, { selected, matching, count: rows.length })
  expect(sent.map(({ contact_ids: ids }) => ids?.length)).toEqual([1_000, 500])
  expect(sent.flatMap(({ contact_ids: ids }) => ids)).toEqual(rows.map(({ id }) => id))
  expect(sent.every((one) => one.action === 'delete' && !('search' in one))).toBe(true)
})

test('all that match are meant with their number only', () => {
  const selected = { rows, isAll: true, count: 70_000, clear: () => undefined }
  expect(requestsOf(change, { selected, matching, count: 70_000 })).toEqual([
    { search: 'ana', expected_count: 70_000, action: 'delete' },
  ])
})
