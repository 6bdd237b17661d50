import { createHmac } from 'node:crypto'

/**
 * Serializes JSON as the platform does: non-ASCII as lower-case \uXXXX, slashes as \/ (platform
 * document 1.2).
 */
export function platformJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
}

/**
 * Returns the X-Hub-Signature-256 of a body: HMAC-SHA256 of exactly this text with the app secret,
 * in hex.
 */
export function signatureOf(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text, 'utf8').digest('hex')}`
}
