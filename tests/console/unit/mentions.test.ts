import { expect, test } from 'bun:test'

import { mentionedIn } from '../../../src/console/pages/inbox/composer/mentions'

const PEOPLE = new Map([
  ['1', 'Acme'],
  ['2', 'Acme agent'],
  ['3', 'Zoë'],
])

test.each([
  ['Ask @Acme agent, please', ['2']],
  ['Ask @Acme, please', ['1']],
  ['@Zoë and @Acme agent and @Acme', ['3', '2', '1']],
  ['@Acme agents', ['1']],
  ['@Acmeville', []],
  ['Acme, mail@example.com', []],
])('%p mentions the longest names only', (text, ids) => {
  expect(mentionedIn(text, PEOPLE)).toEqual(ids)
})
