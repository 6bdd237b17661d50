import { expect, test } from 'bun:test'

import { markOf, withMark, type Mark } from '../../../src/console/pages/inbox/composer/marks'

/** A text whose selection stands between two bars. */
const selected = (shown: string) => {
  const [before = '', words = '', after = ''] = shown.split('|')
  return {
    text: before + words + after,
    from: before.length,
    to: before.length + words.length,
  }
}

test.each<[mark: Mark, before: string, after: string]>([
  ['bold', 'We open |at nine| today', 'We open *|at nine|* today'],
  ['bold', 'We open *|at nine|* today', 'We open |at nine| today'],
  ['italic', 'We open| at nine |today', 'We open _|at nine|_ today'],
  ['struck', '||', '~||~'],
  ['code', '*|all|*', '*`|all|`*'],
])('%s marks %p as %p', (mark, before, after) => {
  expect(withMark(selected(before), mark)).toEqual(selected(after))
})

test('keys ask for a mark only with Ctrl or ⌘, and Shift where it belongs', () => {
  const press = (key: string, held: object = { ctrlKey: true }): Mark | null =>
    markOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held })
  expect([press('b'), press('I'), press('e', { metaKey: true })]).toEqual([
    'bold',
    'italic',
    'code',
  ])
  expect(press('X', { ctrlKey: true, shiftKey: true })).toBe('struck')
  // to cut, to write, and a letter of AltGr
  expect([press('x'), press('b', {}), press('e', { ctrlKey: true, altKey: true })]).toEqual([
    null,
    null,
    null,
  ])
})
