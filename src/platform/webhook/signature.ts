import { createHmac, timingSafeEqual } from 'node:crypto'

const HEADER = /^sha256=([0-9a-f]{64})$/i

/**
 * Returns the signature header (`sha256=` and lower-case hex) that the platform sends with these
 * raw bytes (spec 5.8).
 */
export function signBody(bytes: string | Uint8Array, secret: string): string {
  return `sha256=${digestOf(bytes, secret).toString('hex')}`
}

/**
 * Returns the 32 bytes of an `X-Hub-Signature-256` header, or `null` unless it is exactly `sha256=`
 * and 64 hex digits.
 */
export function parseSignature(header: string | null): Buffer | null {
  const [, hex] = HEADER.exec(header ?? '') ?? []
  return hex === undefined ? null : Buffer.from(hex, 'hex')
}

/**
 * Reports whether a signature belongs to exactly these bytes and this app secret (HMAC-SHA256, spec
 * 5.8), in constant time. Pass the received bytes: re-serialized JSON changes the escapes that the
 * platform signed. An empty secret verifies nothing.
 */
export function verifySignature(
  bytes: string | Uint8Array,
  signature: Buffer,
  secret: string,
): boolean {
  if (secret === '') return false
  const expected = digestOf(bytes, secret)
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

function digestOf(bytes: string | Uint8Array, secret: string): Buffer {
  return createHmac('sha256', secret).update(bytes).digest()
}
