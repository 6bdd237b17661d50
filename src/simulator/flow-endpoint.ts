import {
  constants,
  createCipheriv,
  createDecipheriv,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'

import type { Phone } from './accounts'
import { signatureOf } from './signing'
import type { World } from './world'

/** Deviations from a correct request to a Flow endpoint. */
export type AskOptions = {
  /** URL instead of the Flow's own. */
  url?: string
  /** Public key (PEM) instead of the number's. */
  publicKey?: string
  /** Secret that signs instead; `null` sends no signature. */
  secret?: string | null
  /** Changes the encrypted body before it is signed. */
  changes?: (sealed: SealedRequest) => Record<string, unknown>
  /** Changes the body after it was signed. */
  garbles?: (text: string) => string
}

/** The encrypted members of a request, each base64. */
export type SealedRequest = {
  encrypted_flow_data: string
  encrypted_aes_key: string
  initial_vector: string
}

/**
 * Response of an endpoint. `answer` is undefined if it cannot be decrypted with the request's key.
 */
export type EndpointReply = { status: number; text: string; type: string | null; answer: unknown }

/**
 * Encrypts a request as a phone does: a new AES key wrapped with RSA-OAEP (SHA-256), and the data
 * with AES-128-GCM and its tag at the end.
 */
function sealRequest(
  publicKey: string,
  payload: unknown,
): { sealed: SealedRequest; key: Buffer; iv: Buffer } {
  const key = randomBytes(16)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-128-gcm', key, iv)
  const data = Buffer.concat([
    cipher.update(JSON.stringify(payload), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const wrapped = publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    key,
  )
  return {
    sealed: {
      encrypted_flow_data: data.toString('base64'),
      encrypted_aes_key: wrapped.toString('base64'),
      initial_vector: iv.toString('base64'),
    },
    key,
    iv,
  }
}

/** Decrypts a response: same key, initial vector with every bit inverted. */
function openReply(text: string, key: Buffer, iv: Buffer): unknown {
  try {
    const bytes = Buffer.from(text, 'base64')
    const flipped = Buffer.from(iv.map((byte) => ~byte & 0xff))
    const decipher = createDecipheriv('aes-128-gcm', key, flipped).setAuthTag(bytes.subarray(-16))
    return JSON.parse(
      Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8'),
    )
  } catch {
    return undefined
  }
}

/** Calls the Flow endpoint of a number, as the platform does for a phone. */
export async function askEndpoint(
  world: World,
  phone: Phone,
  payload: unknown,
  options: AskOptions = {},
): Promise<EndpointReply> {
  const publicKey = options.publicKey ?? world.administration.keys.get(phone.id)?.publicKey
  if (publicKey === undefined) throw new Error(`The number ${phone.id} has no public key`)
  if (options.url === undefined) throw new Error('The address of the endpoint is not known')
  const { sealed, key, iv } = sealRequest(publicKey, payload)
  const body = JSON.stringify(options.changes?.(sealed) ?? sealed)
  const secret =
    options.secret === undefined ? (phone.appSecret ?? world.callback.secret) : options.secret
  const signed: Record<string, string> =
    secret === null ? {} : { 'x-hub-signature-256': signatureOf(secret, body) }
  const response = await fetch(options.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'facebookexternalua', ...signed },
    body: options.garbles?.(body) ?? body,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    type: response.headers.get('content-type'),
    answer: openReply(text, key, iv),
  }
}
