import { expect, test } from 'bun:test'

import { packBody, unpackBody } from '../../src/platform/webhook/pack-body'

const TEXT =
  '{"object":"whatsapp_business_account","entry":[{"id":"201","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550100001","phone_number_id":"301"},"contacts":[{"profile":{"name":"Ana Sol"},"wa_id":"15560000005"}],"messages":[]},"field":"messages"}]}]}'

test('makes a body smaller and returns every byte of any size and kind', () => {
  expect(packBody(Buffer.from(TEXT)).length).toBeLessThan(TEXT.length * 0.9)
  for (const bytes of [
    Buffer.from(TEXT),
    Buffer.alloc(0),
    Buffer.from([0, 255, 1]),
    Buffer.alloc(3_000_000, TEXT),
  ])
    expect(unpackBody(packBody(bytes)).equals(bytes)).toBe(true)
})

test('refuses bytes that are no packed body', () => {
  expect(() => unpackBody(Buffer.from([0, 1, 2]))).toThrow()
})
