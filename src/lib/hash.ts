import { timingSafeEqual } from 'node:crypto'

/** SHA-256 of text or bytes as 64 hex digits. */
export const sha256Hex = (data: string | Uint8Array): string =>
  Bun.CryptoHasher.hash('sha256', data, 'hex')

/**
 * Whether two texts are equal, in a time that tells nothing about where they differ or how long
 * they are.
 */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string): Buffer => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
