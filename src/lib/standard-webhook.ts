import { createHmac } from 'node:crypto'

/** The signed parts of a webhook request: its ID, Unix seconds, and the raw body. */
export interface SignedRequest {
  id: string
  timestampS: number
  body: string
}

const PREFIX = 'whsec_'

/**
 * Returns the `webhook-signature` of a request for a secret `whsec_…` (Standard Webhooks): `v1,`
 * and the base64 HMAC-SHA256 of ID, time and body.
 */
export function signWebhook(secret: string, { id, timestampS, body }: SignedRequest): string {
  const key = Buffer.from(
    secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret,
    'base64',
  )
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
}
