import { createHmac } from 'node:crypto'

/**
 * JSON as the platform writes it: everything beyond ASCII as lower-case \uXXXX, each slash as \/
 * (platform document 1.2).
 */
export function platformJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
}

/**
 * The value of X-Hub-Signature-256 for a body: HMAC-SHA256 over exactly this text with the app's
 * secret, in hex.
 */
export function signatureOf(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text, 'utf8').digest('hex')}`
}
