import { expect, test } from 'bun:test'

import { packBody, unpackBody } from '../../src/platform/webhook/pack-body'

/** A body that the first dictionary packed. It stays readable whatever dictionaries follow. */
const PACKED_BY_FIRST =
  'ASMvxI0MDGkX6IampqYGhgYGBmBLMMPf2MAQFL4EosAxL1EhOD8HpBIWE4ampmYgYw0MTHFGArIajKD3DQk19AtxrfStCjT0y0oOc0x3DHZ3CqwChTlKlFiampiYmRhZgiTwRY1Hak5OPt74AQA='

const TEXT =
  '{"object":"whatsapp_business_account","entry":[{"id":"201","changes":[{"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550100001","phone_number_id":"301"},"contacts":[{"profile":{"name":"Ana Sol"},"wa_id":"15560000005"}],"messages":[{"from":"15560000005","id":"wamid.HBgLMTU1NTEyMzQ1NjcVAgASGBQz","timestamp":"1795446429","type":"text","text":{"body":"Hello"}}]},"field":"messages"}]}]}'

test('packs the body of a message to less than a third and returns every byte', () => {
  const bytes = Buffer.from(TEXT)
  const packed = packBody(bytes)
  expect(packed.length).toBeLessThan(bytes.length / 3)
  expect(unpackBody(packed).equals(bytes)).toBe(true)
})

test('returns bodies of any size and kind', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 1]), Buffer.alloc(3_000_000, TEXT)])
    expect(unpackBody(packBody(bytes)).equals(bytes)).toBe(true)
})

test('reads what the first dictionary packed', () => {
  expect(unpackBody(Buffer.from(PACKED_BY_FIRST, 'base64')).toString()).toBe(TEXT)
})

test('refuses a body of an unknown dictionary', () => {
  expect(() => unpackBody(Buffer.from([0, 1, 2]))).toThrow('unknown dictionary')
  expect(() => unpackBody(Buffer.alloc(0))).toThrow('unknown dictionary')
})
