import { withPlainDigits } from './typed-text'

const MAX_DIGITS = 15

/** Signs that separate thousands and nothing else. */
const GROUPS = /(?<=\d)[ '’٬](?=\d)/gu

/** Thousands in groups of three, in India of two and three. */
const GROUPED: Readonly<Record<string, RegExp>> = {
  ' ': /^\d{1,3}(?: \d{3})+$/,
  '.': /^\d{1,3}(?:\.\d{3})+$/,
  ',': /^\d{1,3}(?:,\d{3})+$|^\d{1,2}(?:,\d{2})+,\d{3}$/,
}

/**
 * Reads a number that a person typed, in digits of any script: `1500`, `1.5`, `1,5`, `1,500.75`,
 * `1.500,75`, `1 500`, `1.500.000`, `٢٥`. Returns `null` for any other text, and for one that people
 * read differently: `1,500` is one and a half or fifteen hundred.
 */
export function readNumber(text: string): number | null {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/su.exec(plainSigns(text)) ?? []
  const digits = unsigned(rest)
  if (digits === null) return null
  const [whole = '', fraction = ''] = digits.split('.')
  if (whole.length > MAX_DIGITS || fraction.length > MAX_DIGITS) return null
  return Number(`${sign}${digits}`)
}

const plainSigns = (text: string): string =>
  withPlainDigits(text)
    .trim()
    .replaceAll('\u2212', '-')
    .replaceAll('،', ',')
    .replaceAll(GROUPS, ' ')

/** Returns a number without a sign as JavaScript writes it, or `null`. */
function unsigned(text: string): string | null {
  const point = pointOf(text)
  if (point === null) return withoutGroups(text)
  const at = text.lastIndexOf(point)
  const [whole, fraction] = [text.slice(0, at), text.slice(at + 1)]
  const plain = withoutGroups(whole)
  if (plain === null || !/^\d+$/.test(fraction) || whole.includes(point)) return null
  const isAmbiguous = point !== '٫' && fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  return isAmbiguous ? null : `${plain}.${fraction}`
}

/** Returns the sign before the fraction; `null` if there is none. */
function pointOf(text: string): string | null {
  if (text.includes('٫')) return '٫'
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const sign = text[last]
  if (sign === undefined) return null
  // A sign that is repeated separates thousands.
  return text.indexOf(sign) === last ? sign : null
}

/** Returns a whole number without the signs between its thousands; `null` if they are elsewhere. */
function withoutGroups(text: string): string | null {
  if (/^\d+$/.test(text)) return text
  const sign = /\D/u.exec(text)?.[0] ?? ''
  return GROUPED[sign]?.test(text) === true ? text.replaceAll(/\D/gu, '') : null
}
