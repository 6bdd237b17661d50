// The `min` metadata: lengths and formats are all that is used here, and it is half the size of
// `max`, whose stricter patterns would only serve isValid(), which refuses the platform's own test
// numbers (US 555).
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { CountryCode } from 'libphonenumber-js/min'

import { knownNumber, type KnownNumber } from './phone-plans'

export type { CountryCode }

const MIN_DIGITS = 7
const MAX_DIGITS = 15
const SEPARATORS = '\\p{Zs}\\t().\\-\\u2010-\\u2015\\u2060\\u200e\\u200f\\u202a-\\u202e'
const PHONE_SHAPE = new RegExp(`^[${SEPARATORS}]*\\+?[\\d${SEPARATORS}]+$`, 'u')
const PHONE_IN_TEXT = new RegExp(`\\+?\\d(?:[${SEPARATORS}/]*\\d){${MIN_DIGITS - 1},}`, 'gu')

/**
 * Numbers that were parsed before: one is looked at several times while it is stored. So many are
 * remembered.
 */
const MAX_PARSED = 2_000
const parsed = new Map<string, KnownNumber | null>()

/** Full international digits as a number. */
function parseDigits(digits: string): KnownNumber | null {
  const known = parsed.get(digits)
  if (known !== undefined) return known
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const phone = knownNumber(digits)
  parsed.set(digits, phone)
  return phone
}

/**
 * The number a person typed, as E.164 digits without `+`; null when it is not a phone number of 7
 * to 15 digits. `+`, spaces, dashes, dots and parentheses are accepted. With a default country bare
 * digits are read as a number of that country first; without one they are the full international
 * number.
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
 * E.164 digits of a parsed number whose length is possible in its country; some spellings only live
 * on as variants of one that is.
 */
function acceptedDigits(digits: string | undefined): string | null {
  if (digits === undefined) return null
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null
  // One trunk zero is taken off (`+49 (0)151 …`). What still has one would be read as another
  // number the next time: no number.
  if (parseDigits(digits)?.digits !== digits) return null
  const isPossible = numberVariants(digits).some((variant) => parseDigits(variant)?.isPossible)
  return isPossible ? digits : null
}

/**
 * Every spelling (E.164 digits) that is the same person as `digits`, the given one first and none
 * twice. The platform's id of a person can differ from the dialled number: Brazil with and without
 * the ninth digit, Mexico with and without the 1, Argentina with and without the 9 and with the
 * domestic 15 after the area (platform documentation). Every spelling of the answer has the same
 * answer, apart from the order.
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

/** Area and line (ten digits) of an Argentine number in any of its three spellings. */
function argentineLine(digits: string): string | null {
  const [, line] = /^549?([1-3]\d{9})$/.exec(digits) ?? []
  if (line !== undefined) return line
  const mobile = argentineMobileLine(digits)
  return mobile !== null && argentineWithFifteen(mobile) === digits ? mobile : null
}

/**
 * Area and line of `54 area 15 line`. Areas have two to four digits: only the numbering plan tells
 * which 15 stands for "mobile".
 */
function argentineMobileLine(digits: string): string | null {
  if (!/^54[1-3]\d{11}$/.test(digits)) return null
  const [, line] = /^549([1-3]\d{9})$/.exec(parseDigits(digits)?.digits ?? '') ?? []
  return line ?? null
}

/**
 * `54 area 15 line`, with the area length of the national format (`011 15-1234-5678`); null when no
 * area of the plan fits.
 */
function argentineWithFifteen(line: string): string | null {
  const national =
    parsePhoneNumberFromString(`+549${line}`)?.formatNational().replace(/\D/g, '') ?? ''
  const digits = `54${national.slice(1)}`
  return argentineMobileLine(digits) === line ? digits : null
}

/**
 * Country (ISO 3166 alpha-2) of E.164 digits, null when the number belongs to none. Where a calling
 * code is shared and the number itself does not tell (US 555), it is the main country of that code.
 */
export function countryOf(digits: string): string | null {
  return parseDigits(digits)?.country ?? null
}

/** Whether a text is a country (ISO 3166 alpha-2) that has phone numbers. */
export const isCountry = (text: string): boolean => isSupportedCountry(text)

/**
 * The number without its calling code, digits as dialled inside its country but for the leading
 * zero; `null` when it belongs to none.
 */
export const nationalDigits = (digits: string): string | null =>
  parseDigits(digits)?.national ?? null

/** The number with all but its last four digits as `*`; other characters stay where they are. */
export function maskPhone(digits: string): string {
  return digits.replace(/\d(?=(?:\D*\d){4})/g, '*')
}

/**
 * Whether a name is really a phone number: nothing but a number's characters, with 7 to 15 digits.
 */
export function looksLikePhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return digits >= MIN_DIGITS && digits <= MAX_DIGITS && PHONE_SHAPE.test(text.trim())
}

/**
 * The text with every phone number in it masked like {@link maskPhone}. Any run of seven digits or
 * more counts: hiding too much is the safe side.
 */
export function maskPhonesIn(text: string): string {
  return text.replace(PHONE_IN_TEXT, maskPhone)
}

/**
 * The text with every way masked in which it writes one of these numbers (E.164 digits), also as
 * dialled inside the country; other numbers stay.
 */
export function maskNumbersIn(text: string, numbers: readonly string[]): string {
  if (numbers.length === 0) return text
  const spellings = numbers.flatMap(numberVariants)
  // What is dialled before the national part (`0`, `8`, `+44 (0)`) is no part of the number.
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
