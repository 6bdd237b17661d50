import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  countryOf,
  looksLikePhone,
  maskPhone,
  maskPhonesIn,
  numberVariants,
  parsePhone,
} from '../../src/lib/phone'

const digitString = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((digits) => digits.join(''))

describe('parsing typed phone numbers', () => {
  test.each([
    ['+15550109999', '15550109999'],
    ['15550109999', '15550109999'],
    ['+1 (555) 010-9999', '15550109999'],
    ['1.555.010.9999', '15550109999'],
    ['+1\u00a0555\u2011010\u20119999', '15550109999'],
    ['\u202a+1 555 010 9999\u202c', '15550109999'],
    ['+49 (0)1511 2345678', '4915112345678'],
    ['5511987654321', '5511987654321'],
    ['551187654321', '551187654321'],
    ['5215512345678', '5215512345678'],
    ['+54 9 11 2345-6789', '5491123456789'],
    ['+54 11 15 2345-6789', '5491123456789'],
  ])('reads %p as international %p', (input, digits) => {
    expect(parsePhone(input)).toBe(digits)
  })

  test('reads bare digits as a number of the default country first, otherwise as international', () => {
    expect(parsePhone('0151 12345678', 'DE')).toBe('4915112345678')
    expect(parsePhone('(555) 010-9999', 'US')).toBe('15550109999')
    expect(parsePhone('5511987654321', 'BR')).toBe('5511987654321')
    expect(parsePhone('442071234567', 'US')).toBe('442071234567')
  })

  test('a plus sign overrides the default country', () => {
    expect(parsePhone('+15550109999', 'DE')).toBe('15550109999')
  })

  test.each([
    '',
    ' ',
    '+',
    '123456',
    '+12345',
    '1'.repeat(16),
    '+99912345678',
    '550058764416',
    '1555010x9999',
    '555-010-9999 ext 4',
    '1+5550109999',
    'Ana',
    '1555\n0109999',
  ])('rejects %p', (input) => {
    expect(parsePhone(input)).toBeNull()
  })

  test('returns 7 to 15 digits that parse to themselves for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          digitString(5, 17),
          digitString(5, 17).map((digits) => `+${digits}`),
        ),
        (input) => {
          const digits = parsePhone(input)
          if (digits === null) return
          expect(digits).toMatch(/^[1-9]\d{6,14}$/)
          expect(parsePhone(digits)).toBe(digits)
        },
      ),
    )
  })
})

describe("spellings of one person's number", () => {
  test.each([
    ['a Brazilian mobile with the ninth digit', '5511987654321', ['5511987654321', '551187654321']],
    ['a Brazilian mobile without it', '551187654321', ['551187654321', '5511987654321']],
    ['a Brazilian landline', '551131234567', ['551131234567']],
    ['a Mexican number', '525512345678', ['525512345678', '5215512345678']],
    ['a Mexican number with the 1', '5215512345678', ['5215512345678', '525512345678']],
    ['an Argentine mobile', '5491123456789', ['5491123456789', '541123456789', '54111523456789']],
    [
      'an Argentine number without the 9',
      '541123456789',
      ['541123456789', '5491123456789', '54111523456789'],
    ],
    [
      'an Argentine number with 15 after a two-digit area',
      '54111523456789',
      ['54111523456789', '5491123456789', '541123456789'],
    ],
    [
      'an Argentine number with 15 after a three-digit area',
      '54223154234567',
      ['54223154234567', '5492234234567', '542234234567'],
    ],
    [
      'an Argentine number with 15 after a four-digit area',
      '54290115423456',
      ['54290115423456', '5492901423456', '542901423456'],
    ],
    ['any other number', '15550109999', ['15550109999']],
    ['no number at all', 'abc', ['abc']],
  ])('%s', (_name, digits, spellings) => {
    expect(numberVariants(digits)[0]).toBe(digits)
    expect(numberVariants(digits).toSorted()).toEqual(spellings.toSorted())
  })

  test('all spellings yield the same set, their own first, without duplicates', () => {
    const numbers = fc
      .tuple(fc.constantFrom('55', '559', '52', '521', '54', '549', '1', '49'), digitString(7, 12))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(numbers, (digits) => {
        const spellings = numberVariants(digits)
        expect(new Set(spellings).size).toBe(spellings.length)
        for (const spelling of spellings) {
          expect(numberVariants(spelling)[0]).toBe(spelling)
          expect(numberVariants(spelling).toSorted()).toEqual(spellings.toSorted())
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('Argentine spellings agree for every area code of the numbering plan', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('11', '221', '223', '341', '351', '2901', '2202', '3541'),
        digitString(8, 8),
        (area, rest) => {
          const line = `${area}${rest}`.slice(0, 10)
          const spellings = numberVariants(`549${line}`)
          for (const spelling of spellings)
            expect(numberVariants(spelling).toSorted()).toEqual(spellings.toSorted())
        },
      ),
    )
  })
})

test.each([
  ['15550109999', 'US'],
  ['14165550123', 'CA'],
  ['5511987654321', 'BR'],
  ['5215512345678', 'MX'],
  ['77011234567', 'KZ'],
  ['883510001234567', null],
  ['99912345678', null],
  ['', null],
])('the country of %p is %p', (digits, country) => {
  expect(countryOf(digits)).toBe(country)
})

test.each([
  ['15550109999', '*******9999'],
  ['+1 555-010-9999', '+* ***-***-9999'],
  ['1234', '1234'],
  ['', ''],
])('masks %p as %p', (digits, masked) => {
  expect(maskPhone(digits)).toBe(masked)
})

test('recognizes a name that is only a phone number', () => {
  for (const name of ['+1 555 010 9999', '15550109999', ' (555) 010-9999 ', '1234567'])
    expect(looksLikePhone(name)).toBeTrue()
  for (const name of ['Ana Sol', 'Room 15550109999', '123456', '', '1'.repeat(16), '12-31'])
    expect(looksLikePhone(name)).toBeFalse()
})

describe('masking phone numbers in a text', () => {
  test('keeps the last four digits of every number', () => {
    expect(maskPhonesIn('User Ana changed from 15550109999 to +1 (555) 010-8888.')).toBe(
      'User Ana changed from *******9999 to +* (***) ***-8888.',
    )
  })

  test('keeps short numbers', () => {
    expect(maskPhonesIn('Order 123456, room 12')).toBe('Order 123456, room 12')
  })

  test('keeps a text without numbers, and masking is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), digitString(7, 15), fc.string(), (before, digits, after) => {
        const masked = maskPhonesIn(`${before} ${digits} ${after}`)
        expect(masked).not.toContain(digits)
        expect(maskPhonesIn(masked)).toBe(masked)
      }),
    )
  })
})
