import { expect, test } from 'bun:test'

import {
  canBeView,
  filterOf,
  searchOf,
  type ContactsSearch,
} from '../../../src/console/pages/contacts/view-model'

const SEARCH: ContactsSearch = {
  q: 'ana',
  tag: 'regular',
  owner: 'none',
  segment: '01900000-0000-7000-8000-000000000001',
  sort: 'name',
  order: 'desc',
}

test('a view shows the address that was saved, in the words of the API', () => {
  expect(filterOf(SEARCH)).toEqual({
    ...{
      search: 'ana',
      tags: 'regular',
      assigned_to: 'none',
      segment_id: '01900000-0000-7000-8000-000000000001',
    },
    ...{ sort: 'name', order: 'desc' },
  })
  expect(searchOf({ filter: filterOf(SEARCH) })).toEqual(SEARCH)
})

test('words and an order are a view; conditions are a segment', () => {
  expect([{ q: 'ana' }, { order: 'asc' as const }].map(canBeView)).toEqual([true, true])
  expect([{}, { tag: 'regular' }, { q: 'ana', filter: {} }].map(canBeView)).toEqual([
    ...[false, false, false],
  ])
})
