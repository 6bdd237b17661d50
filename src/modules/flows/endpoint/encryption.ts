/** A request of a form as it comes: base64 each (platform documentation 5.3). */
export interface Sealed {
  encrypted_flow_data: string
  encrypted_aes_key: string
  initial_vector: string
}

/** A request that was opened, and what seals its answer. */
export interface Opened {
  text: string
  seal: (answer: string) => Promise<string>
}

const AES_KEY_BYTES = 16
const IV_BYTES = 16
const TAG_BITS = 128
const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Whether a text is base64 (RFC 4648, 4) and not empty. */
export const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && BASE64.test(value)

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64, 'base64'))

const keyOf = (pem: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'pkcs8',
    bytesOf(pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')),
    OAEP,
    false,
    ['decrypt'],
  )

/** Keys that were used lately: importing one costs more than using it. */
const imported = new Map<string, Promise<CryptoKey>>()
const MAX_KEPT = 100

/** A private key (PEM, PKCS 8), kept by a name for it that is not the key itself. */
function privateKey(name: string, pem: () => string): Promise<CryptoKey> {
  const known = imported.get(name)
  if (known) return known
  const [oldest] = imported.keys()
  if (imported.size >= MAX_KEPT && oldest !== undefined) imported.delete(oldest)
  const key = keyOf(pem())
  imported.set(name, key)
  return key
}

/** A private key that may open a request: what it is kept by, and the key itself. */
export interface Candidate {
  name: string
  pem: () => string
}

/**
 * Opens a request with the first of the keys that fits: RSA-OAEP (SHA-256, MGF1 SHA-256) opens the
 * AES key, AES-128-GCM with a tag of 16 bytes the data. `null` when none does, or anything of it
 * was changed.
 */
export async function openRequest(sealed: Sealed, candidates: Candidate[]): Promise<Opened | null> {
  const wrapped = bytesOf(sealed.encrypted_aes_key)
  const iv = bytesOf(sealed.initial_vector)
  if (iv.length !== IV_BYTES) return null
  for (const { name, pem } of candidates) {
    const raw = await attempt(
      async () => await crypto.subtle.decrypt(OAEP, await privateKey(name, pem), wrapped),
    )
    if (raw === null || raw.byteLength !== AES_KEY_BYTES) continue
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
    const data = bytesOf(sealed.encrypted_flow_data)
    const plain = await attempt(
      async () =>
        await crypto.subtle.decrypt({ name: 'AES-GCM', iv, tagLength: TAG_BITS }, key, data),
    )
    if (plain === null) return null
    return { text: new TextDecoder().decode(plain), seal: (answer) => seal(answer, key, iv) }
  }
  return null
}

/**
 * The answer under the same key, with every bit of the initial vector inverted; the tag stands at
 * its end.
 */
async function seal(answer: string, key: CryptoKey, iv: Uint8Array<ArrayBuffer>): Promise<string> {
  const inverted = iv.map((byte) => byte ^ 0xff)
  const params = { name: 'AES-GCM', iv: inverted, tagLength: TAG_BITS }
  return Buffer.from(
    await crypto.subtle.encrypt(params, key, new TextEncoder().encode(answer)),
  ).toString('base64')
}

/** What WebCrypto refuses, it throws: then it is not for this key, or not as it was sent. */
async function attempt(work: () => Promise<ArrayBuffer>): Promise<ArrayBuffer | null> {
  try {
    return await work()
  } catch {
    return null
  }
}
