import { timingSafeEqual } from 'node:crypto'

/** Returns the SHA-256 of text or bytes as 64 hex digits. */
export const sha256Hex = (data: string | Uint8Array): string =>
  Bun.CryptoHasher.hash('sha256', data, 'hex')

/**
 * Compares two texts in constant time, so that the duration reveals neither their length nor their
 * first difference.
 */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string): Buffer => new Bun.CryptoHasher('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
