import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'

import { knownNumber, type KnownNumber } from '../../src/lib/phone-plans'

function byLibrary(digits: string): KnownNumber | null {
  const phone = parsePhoneNumberFromString(`+${digits}`)
  if (!phone) return null
  const country = phone.country ?? phone.getPossibleCountries()[0] ?? null
  return {
    digits: phone.number.slice(1),
    national: phone.nationalNumber,
    country,
    isPossible: phone.isPossible(),
  }
}

const digits = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((all) => all.join(''))

/** Every calling code of a country, those without a country, and some unassigned ones. */
const CODES = [
  ...new Set(getCountries().map((country): string => getCountryCallingCode(country))),
  ...['800', '808', '870', '878', '881', '882', '883', '888', '979', '999', '0', '21', '38'],
]

test('knownNumber agrees with the library for every calling code', () => {
  for (const code of CODES)
    fc.assert(
      fc.property(fc.constantFrom('', '0', '1', '8'), digits(1, 14), (first, rest) => {
        expect(knownNumber(code + first + rest)).toEqual(byLibrary(code + first + rest))
      }),
      { numRuns: 60 },
    )
})

test('knownNumber agrees with the library for shared calling codes', () => {
  const areas = {
    '1': ['212', '416', '876', '787', '242', '800', '555', '500'],
    '44': ['1481', '1534', '7911', '20'],
    '7': ['701', '912', '6'],
  }
  for (const [code, begins] of [
    ...Object.entries(areas),
    ['262', ['639', '692']] as const,
    ['590', ['690', '590']] as const,
  ])
    fc.assert(
      fc.property(fc.constantFrom(...begins), digits(4, 8), (area, rest) => {
        expect(knownNumber(code + area + rest)).toEqual(byLibrary(code + area + rest))
      }),
      { numRuns: 300 },
    )
})
