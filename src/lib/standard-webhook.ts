import { createHmac } from 'node:crypto'

/** What is signed of a request: its id, Unix seconds, and its body as it goes out. */
export interface Signed {
  id: string
  timestampS: number
  body: string
}

const PREFIX = 'whsec_'

/**
 * The `webhook-signature` of a request under a secret `whsec_…` (Standard Webhooks): `v1,` and the
 * HMAC-SHA256 of id, time and body in base64.
 */
export function signWebhook(secret: string, { id, timestampS, body }: Signed): string {
  const key = Buffer.from(
    secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret,
    'base64',
  )
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
}
