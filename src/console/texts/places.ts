import { formatCountry } from './format'
import { currentLanguage } from './texts'

/** Returns the names of all time zones. */
export const timeZones = (): string[] => [...Intl.supportedValuesOf('timeZone'), 'UTC']

/** Returns the codes of all currencies. */
export const currencies = (): string[] => Intl.supportedValuesOf('currency')

/** Returns the codes of all countries, in the order of their names. */
export function countries(): string[] {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((one) => letters.map((other) => one + other))
    .filter(
      (code) =>
        !NO_COUNTRIES.has(code) &&
        formatCountry(code) !== code &&
        Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`,
    )
    .toSorted((one, other) =>
      formatCountry(one).localeCompare(formatCountry(other), currentLanguage()),
    )
}

/** Codes with names that are no countries with phone numbers. */
const NO_COUNTRIES = new Set([
  'AQ',
  'BV',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'GS',
  'HM',
  'IC',
  'PN',
  'QO',
  'TF',
  'UM',
  'UN',
  'XA',
  'XB',
  'ZZ',
])
