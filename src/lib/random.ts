import { randomBytes, randomInt } from 'node:crypto'

/**
 * Returns `count` random characters from `alphabet`, evenly distributed and cryptographically
 * secure.
 */
export function randomText(count: number, alphabet: string): string {
  let text = ''
  for (let index = 0; index < count; index += 1) text += alphabet.charAt(randomInt(alphabet.length))
  return text
}

/** Returns `bytes` random bytes as hex digits. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Returns a random fraction in [0, 1), for jitter of retries. */
export type Random = () => number

/** Random numbers for jitter; not for secrets. */
export const systemRandom: Random = () => Math.random()
