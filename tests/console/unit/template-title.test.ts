import { expect, test } from 'bun:test'

import { technicalNameOf, titleOf } from '../../../src/console/parts/template/title'

test.each([
  // a name that WhatsApp gave becomes words, and programs still know it
  ['order_ready', 'order_ready', 'Order ready', 'order_ready'],
  ['_', '_', '_', null],
  // what a person wrote stays as it is
  ['order_ready', 'Cake_is ready', 'Cake_is ready', 'order_ready'],
  ['News', 'News', 'News', null],
])('the template %s, shown as %s, is called %s', (name, shown, title, technical) => {
  const template = { name, display_name: shown }
  expect(titleOf(template)).toBe(title)
  expect(technicalNameOf(template)).toBe(technical)
})
