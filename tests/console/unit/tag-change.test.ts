import { expect, test } from 'bun:test'

import { tagChange } from '../../../src/console/parts/contact/tag-change'

test('only the tag that was pressed is sent', () => {
  const had = ['regular', 'vip']
  expect([
    tagChange(had, new Set(['regular', 'vip', 'early'])),
    tagChange(had, new Set(['vip'])),
    tagChange(had, new Set(had)),
  ]).toEqual([
    { add_tag_ids: ['early'], remove_tag_ids: [] },
    { add_tag_ids: [], remove_tag_ids: ['regular'] },
    { add_tag_ids: [], remove_tag_ids: [] },
  ])
})
