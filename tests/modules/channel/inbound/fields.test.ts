import { readFileSync } from 'node:fs'
import { expect, test } from 'bun:test'

import { WEBHOOK_FIELDS } from '../../../../src/modules/channel/accounts/webhook-fields'
import { ACCOUNT_FIELDS } from '../../../../src/modules/channel/inbound/account-webhook-fields'
import { itemsOf } from '../../../../src/modules/channel/inbound/process/items'

const isWorkedOff = (field: string): boolean =>
  itemsOf({ field, value: {} } as Parameters<typeof itemsOf>[0]) !== null

test('recommends exactly the webhook fields that the server handles', () => {
  expect(WEBHOOK_FIELDS.filter((field) => !isWorkedOff(field))).toEqual([])
  expect([...ACCOUNT_FIELDS].filter((field) => !WEBHOOK_FIELDS.includes(field))).toEqual([])
  expect(['group_lifecycle_update', 'payment_configuration_update'].filter(isWorkedOff)).toEqual([])
})

test('handles `user_id_update`, which nobody can subscribe to any more', () => {
  expect(isWorkedOff('user_id_update')).toBe(true)
  expect(WEBHOOK_FIELDS).not.toContain('user_id_update')
})

test('documents every recommended field on the page about connecting a number', () => {
  const page = readFileSync(
    new URL('../../../../src/docs/integrate.md', import.meta.url),
    'utf8',
  ).replaceAll(/\s+/g, ' ')
  expect(page).toContain(WEBHOOK_FIELDS.map((field) => `\`${field}\``).join(', '))
})
