import { describe, expect, test } from 'bun:test'
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  type CountryCode,
} from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/mobile/examples'

import { formatPhone } from '../../../src/console/texts/phone'

const plain = (number: string): string => formatPhone(number).replaceAll('\u00A0', ' ')
const countries: CountryCode[] = getCountries()

describe('a phone number', () => {
  test('is written one way, however it came', () => {
    expect(plain('447700900001')).toBe('+44 7700 900001')
    expect(plain('+44 7700 900001')).toBe('+44 7700 900001')
    expect(plain('+1 555-010-0001')).toBe('+1 555 010 0001')
    expect(plain('(44) 7700.900001')).toBe('(44) 7700.900001')
    expect(plain('491701234567')).toBe('+49 170 1234567')
    expect(plain('5511912345678')).toBe('+55 11 91234 5678')
    expect(plain('919876543210')).toBe('+91 98765 43210')
  })

  test('that is masked, or none, stays as it is', () => {
    for (const one of ['*********0001', '••••0001', '', 'Ana', '+49 170 call me'])
      expect(formatPhone(one)).toBe(one)
  })

  test('keeps all its digits, in one line', () => {
    for (let length = 7; length <= 15; length += 1) {
      const digits = '4915123456789012'.slice(0, length)
      expect(formatPhone(digits).replaceAll(/\D/g, '')).toBe(digits)
      expect(formatPhone(digits)).toMatch(/^\+[\d\u00A0]+$/)
    }
  })

  test.each(countries)('of %s begins with its calling code', (country) => {
    const code = getCountryCallingCode(country)
    const example = getExampleNumber(country, examples)
    expect(plain(example?.number ?? '')).toStartWith(`+${code} `)
  })

  test.each(['GB', 'FR', 'ES', 'BR', 'IN', 'US', 'NL', 'JP', 'TR', 'ZA', 'AE'] as const)(
    'of %s has the groups that people there know',
    (country) => {
      const example = getExampleNumber(country, examples)
      const groups = example?.formatInternational().replaceAll('-', ' ') ?? ''
      expect(plain(example?.number ?? '')).toBe(groups)
    },
  )
})
