import { randomText } from '../../../lib/random'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 34
const CHECK_LENGTH = 6
const PREFIX_LENGTH = 8
const FORM = new RegExp(`^swb_([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`)

/** Prefix of every key. */
export const KEY_PREFIX = 'swb_'

/**
 * Returns a new API key: `swb_`, 34 random characters and a six-character checksum that detects
 * typing errors without a query.
 */
export function newKey(): string {
  const secret = randomText(RANDOM_LENGTH, ALPHABET)
  return `${KEY_PREFIX}${secret}${checkOf(secret)}`
}

/** Returns the first 8 random characters, which identify a key to people. */
export const prefixOf = (key: string): string =>
  key.slice(KEY_PREFIX.length, KEY_PREFIX.length + PREFIX_LENGTH)

/** Whether a text has the format of a key and a correct checksum. */
export function isKey(text: string): boolean {
  const [, secret, check] = FORM.exec(text) ?? []
  return secret !== undefined && checkOf(secret) === check
}

/** CRC-32 of the random characters in base 62, padded with `0`. */
function checkOf(secret: string): string {
  let rest = Bun.hash.crc32(secret)
  let digits = ''
  while (rest > 0) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits.padStart(CHECK_LENGTH, '0')
}
