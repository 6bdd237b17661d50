import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSignature, signBody, verifySignature } from '../../src/platform/webhook/signature'

const HEX = 'b6978b21c4467654c466607663db9b43fae44b71083568df403e0a077089208e'
const BODY = '{"object":"whatsapp_business_account"}'
const SECRET = 'test-app-secret'

const parsed = (header: string) => parseSignature(header) ?? Buffer.alloc(0)

test('signs and verifies the published example', () => {
  expect(signBody(Buffer.from(BODY), SECRET)).toBe(`sha256=${HEX}`)
  expect(verifySignature(Buffer.from(BODY), parsed(`sha256=${HEX}`), SECRET)).toBeTrue()
})

test('accepts hex digits of any case', () => {
  expect(verifySignature(BODY, parsed(`sha256=${HEX.toUpperCase()}`), SECRET)).toBeTrue()
})

describe('rejects a signature header', () => {
  test.each([
    ['missing', null],
    ['empty', ''],
    ['without prefix', HEX],
    ['with the old prefix', `sha1=${HEX}`],
    ['one digit short', `sha256=${HEX.slice(1)}`],
    ['one digit long', `sha256=${HEX}0`],
    ['not hex', `sha256=${HEX.slice(1)}g`],
    ['with a space before', ` sha256=${HEX}`],
    ['with a line after', `sha256=${HEX}\n`],
    ['given twice', `sha256=${HEX}, sha256=${HEX}`],
  ])('%s', (_name, header) => {
    expect(parseSignature(header)).toBeNull()
  })
})

test('a signature verifies with its secret, and not after a change of any byte or with another secret', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(
      bytes,
      fc.string({ minLength: 1 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (body, secret, at, flip) => {
        const signature = parsed(signBody(body, secret))
        expect(verifySignature(body, signature, secret)).toBeTrue()
        expect(verifySignature(body, signature, `${secret}x`)).toBeFalse()
        const changed = body.with(at % body.length, (body[at % body.length] ?? 0) ^ flip)
        expect(verifySignature(changed, signature, secret)).toBeFalse()
      },
    ),
  )
})

test('JSON escapes are verified as received', () => {
  const escaped = '{"text":"caf\\u00e9 \\/ \\ud83c\\udf55"}'
  const signature = parsed(signBody(escaped, SECRET))
  expect(verifySignature(Buffer.from(escaped), signature, SECRET)).toBeTrue()
  expect(verifySignature(JSON.stringify(JSON.parse(escaped)), signature, SECRET)).toBeFalse()
})

test('an empty secret or a short signature verifies nothing', () => {
  expect(verifySignature(BODY, parsed(signBody(BODY, '')), '')).toBeFalse()
  expect(verifySignature(BODY, Buffer.alloc(31), SECRET)).toBeFalse()
})
