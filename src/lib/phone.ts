// The `min` metadata suffices for lengths and formats and is half the size of `max`. The stricter
// patterns of `max` only serve isValid(), which refuses the platform's own test numbers (US 555).
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { CountryCode } from 'libphonenumber-js/min'

import { knownNumber, type KnownNumber } from './phone-plans'

export type { CountryCode }

const MIN_DIGITS = 7
const MAX_DIGITS = 15
const SEPARATORS = '\\p{Zs}\\t().\\-\\u2010-\\u2015\\u2060\\u200e\\u200f\\u202a-\\u202e'
const PHONE_SHAPE = new RegExp(`^[${SEPARATORS}]*\\+?[\\d${SEPARATORS}]+$`, 'u')
const PHONE_IN_TEXT = new RegExp(`\\+?\\d(?:[${SEPARATORS}/]*\\d){${MIN_DIGITS - 1},}`, 'gu')

/** Size of the cache of parsed numbers. A number is parsed several times while it is stored. */
const MAX_PARSED = 2_000
const parsed = new Map<string, KnownNumber | null>()

/** Looks up full international digits, cached. */
function parseDigits(digits: string): KnownNumber | null {
  const known = parsed.get(digits)
  if (known !== undefined) return known
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const phone = knownNumber(digits)
  parsed.set(digits, phone)
  return phone
}

/**
 * Parses a number typed by a person to E.164 digits without `+`. Returns `null` if it is not a
 * phone number of 7 to 15 digits. Accepts `+`, spaces, dashes, dots and parentheses. With a default
 * country, bare digits are tried as a number of that country first; otherwise they are the full
 * international number.
 */
export function parsePhone(input: string, defaultCountry?: CountryCode): string | null {
  if (!PHONE_SHAPE.test(input)) return null
  const digits = input.replace(/\D/g, '')
  if (digits.length > MAX_DIGITS + 3) return null
  const isInternational = input.includes('+')
  if (!isInternational && defaultCountry !== undefined) {
    const national = acceptedDigits(
      parsePhoneNumberFromString(digits, defaultCountry)?.number.slice(1),
    )
    if (national !== null) return national
  }
  return acceptedDigits(parseDigits(digits)?.digits)
}

/**
 * Returns E.164 digits if their length is possible in their country. Some spellings are valid only
 * as a variant of a possible number.
 */
function acceptedDigits(digits: string | undefined): string | null {
  if (digits === undefined) return null
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null
  // Parsing strips one trunk zero (`+49 (0)151 …`). If one remains, the next parse would give
  // another number.
  if (parseDigits(digits)?.digits !== digits) return null
  const isPossible = numberVariants(digits).some((variant) => parseDigits(variant)?.isPossible)
  return isPossible ? digits : null
}

/**
 * Returns every spelling (E.164 digits) of the same person's number, `digits` first, without
 * duplicates. The platform's ID of a person can differ from the dialed number: Brazil with and
 * without the ninth digit, Mexico with and without the 1, Argentina with and without the 9 and with
 * the domestic 15 after the area code (platform documentation). Every spelling yields the same set.
 */
export function numberVariants(digits: string): string[] {
  const spellings =
    brazilianSpellings(digits) ?? mexicanSpellings(digits) ?? argentineSpellings(digits) ?? []
  return [...new Set([digits, ...spellings])]
}

function brazilianSpellings(digits: string): string[] | null {
  const [, area, line] = /^55([1-9]\d)9?([6-9]\d{7})$/.exec(digits) ?? []
  return area === undefined || line === undefined ? null : [`55${area}9${line}`, `55${area}${line}`]
}

function mexicanSpellings(digits: string): string[] | null {
  const [, line] = /^521?(\d{10})$/.exec(digits) ?? []
  return line === undefined ? null : [`52${line}`, `521${line}`]
}

function argentineSpellings(digits: string): string[] | null {
  const line = argentineLine(digits)
  if (line === null) return null
  const withFifteen = argentineWithFifteen(line)
  return [`549${line}`, `54${line}`, ...(withFifteen === null ? [] : [withFifteen])]
}

/** Returns area code and line (ten digits) of an Argentine number in any of its three spellings. */
function argentineLine(digits: string): string | null {
  const [, line] = /^549?([1-3]\d{9})$/.exec(digits) ?? []
  if (line !== undefined) return line
  const mobile = argentineMobileLine(digits)
  return mobile !== null && argentineWithFifteen(mobile) === digits ? mobile : null
}

/**
 * Returns area code and line of `54 area 15 line`. Area codes have two to four digits; only the
 * numbering plan tells which 15 means "mobile".
 */
function argentineMobileLine(digits: string): string | null {
  if (!/^54[1-3]\d{11}$/.test(digits)) return null
  const [, line] = /^549([1-3]\d{9})$/.exec(parseDigits(digits)?.digits ?? '') ?? []
  return line ?? null
}

/**
 * Returns `54 area 15 line`, with the area length of the national format (`011 15-1234-5678`), or
 * `null` if no area code fits.
 */
function argentineWithFifteen(line: string): string | null {
  const national =
    parsePhoneNumberFromString(`+549${line}`)?.formatNational().replace(/\D/g, '') ?? ''
  const digits = `54${national.slice(1)}`
  return argentineMobileLine(digits) === line ? digits : null
}

/**
 * Returns the country (ISO 3166 alpha-2) of E.164 digits, or `null`. If a calling code is shared
 * and the number does not decide (US 555), returns the main country of the code.
 */
export function countryOf(digits: string): string | null {
  return parseDigits(digits)?.country ?? null
}

/** Reports whether a text is a country code (ISO 3166 alpha-2) with phone numbers. */
export const isCountry = (text: string): boolean => isSupportedCountry(text)

/** Returns the national number without the leading zero, or `null` if no country matches. */
export const nationalDigits = (digits: string): string | null =>
  parseDigits(digits)?.national ?? null

/** Masks all but the last four digits with `*`. Other characters stay. */
export function maskPhone(digits: string): string {
  return digits.replace(/\d(?=(?:\D*\d){4})/g, '*')
}

/** Reports whether a name is a phone number: only characters of a number, with 7 to 15 digits. */
export function looksLikePhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return digits >= MIN_DIGITS && digits <= MAX_DIGITS && PHONE_SHAPE.test(text.trim())
}

/**
 * Masks every phone number in a text like {@link maskPhone}. Masks any run of seven or more digits,
 * since hiding too much is safer.
 */
export function maskPhonesIn(text: string): string {
  return text.replace(PHONE_IN_TEXT, maskPhone)
}

/**
 * Masks the given numbers (E.164 digits) in a text, in every spelling, also in national format.
 * Other numbers stay.
 */
export function maskNumbersIn(text: string, numbers: readonly string[]): string {
  if (numbers.length === 0) return text
  const spellings = numbers.flatMap(numberVariants)
  // National prefixes (`0`, `8`, `+44 (0)`) are not part of the number.
  const nationals = spellings
    .map((number) => nationalDigits(number) ?? number)
    .filter(({ length }) => length >= MIN_DIGITS)
  return text.replace(PHONE_IN_TEXT, (written) => {
    const digits = written.replace(/\D/g, '')
    const tails = [digits, digits.replace(/^0+/, '')].filter((tail) => tail.length >= MIN_DIGITS)
    const isOneOf =
      [...spellings, ...nationals].some((number) => digits.includes(number)) ||
      spellings.some((number) => tails.some((tail) => number.endsWith(tail)))
    return isOneOf ? maskPhone(written) : written
  })
}
