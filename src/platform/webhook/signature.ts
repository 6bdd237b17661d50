import { createHmac, timingSafeEqual } from 'node:crypto'

const HEADER = /^sha256=([0-9a-f]{64})$/i

/**
 * The signature header (`sha256=` and lower-case hex) the platform would send with these raw bytes
 * (spec 5.8).
 */
export function signBody(bytes: string | Uint8Array, secret: string): string {
  return `sha256=${digestOf(bytes, secret).toString('hex')}`
}

/**
 * The 32 bytes of an `X-Hub-Signature-256` header; null unless it is exactly `sha256=` and 64 hex
 * digits of any case.
 */
export function parseSignature(header: string | null): Buffer | null {
  const [, hex] = HEADER.exec(header ?? '') ?? []
  return hex === undefined ? null : Buffer.from(hex, 'hex')
}

/**
 * Whether the signature was made of exactly these bytes with this app secret (HMAC-SHA256, spec
 * 5.8), compared in constant time. The bytes must be those received: parsing and printing JSON
 * again changes the escapes the platform signed. An empty secret verifies nothing.
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
