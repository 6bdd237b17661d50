import { randomBytes, randomInt } from 'node:crypto'

/**
 * `count` random characters drawn evenly from `alphabet`, by the system's cryptographic generator.
 */
export function randomText(count: number, alphabet: string): string {
  let text = ''
  for (let index = 0; index < count; index += 1) text += alphabet.charAt(randomInt(alphabet.length))
  return text
}

/** `bytes` random bytes as hex digits. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** A random fraction in [0, 1), used to spread retries. */
export type Random = () => number

/** The machine's generator for spreading retries; not for secrets. */
export const systemRandom: Random = () => Math.random()
