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

/** How the endpoint of a form is asked when it should not be asked right. */
export type AskOptions = {
  /** Another address than that of the form. */
  url?: string
  /** Another key than the one the number has at the platform, PEM. */
  publicKey?: string
  /** Signs with another secret; `null` does not sign. */
  secret?: string | null
  /** Changes what goes over the wire, after it was encrypted and before it is signed. */
  changes?: (sealed: SealedRequest) => Record<string, unknown>
  /** Changes the signed bytes. */
  garbles?: (text: string) => string
}

/** The encrypted parts of a request, base64 each. */
export type SealedRequest = {
  encrypted_flow_data: string
  encrypted_aes_key: string
  initial_vector: string
}

/**
 * What an endpoint answered; `answer` is undefined when it cannot be read with the key of the
 * request.
 */
export type EndpointReply = { status: number; text: string; type: string | null; answer: unknown }

/**
 * Encrypts a request as a phone does: a fresh AES key wrapped with RSA-OAEP (SHA-256), the data
 * with AES-128-GCM, its tag at the end.
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

/** Reads an answer: the same key, every bit of the initial vector inverted. */
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

/** Asks the endpoint of a number's forms, as the platform does for a phone. */
export async function askEndpoint(
  world: World,
  phone: Phone,
  payload: unknown,
  options: AskOptions = {},
): Promise<EndpointReply> {
  const publicKey = options.publicKey ?? world.desk.keys.get(phone.id)?.publicKey
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
