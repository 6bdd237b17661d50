/** An encrypted request, each field base64 (platform documentation 5.3). */
export interface EncryptedPayload {
  encrypted_flow_data: string
  encrypted_aes_key: string
  initial_vector: string
}

/** A decrypted request, and the function that encrypts its answer. */
export interface DecryptedRequest {
  text: string
  seal: (answer: string) => Promise<string>
}

const AES_KEY_BYTES = 16
const IV_BYTES = 16
const TAG_BITS = 128
const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Reports whether a value is non-empty base64 (RFC 4648, 4). */
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

/** Recently imported keys: importing one costs more than using it. */
const imported = new Map<string, Promise<CryptoKey>>()
const MAX_KEPT = 100

/** Returns a private key (PEM, PKCS 8), cached by a name that is not the key itself. */
function privateKey(name: string, pem: () => string): Promise<CryptoKey> {
  const known = imported.get(name)
  if (known) return known
  const [oldest] = imported.keys()
  if (imported.size >= MAX_KEPT && oldest !== undefined) imported.delete(oldest)
  const key = keyOf(pem())
  imported.set(name, key)
  return key
}

/** A private key to try: its cache name and the key itself. */
export interface PrivateKeyRef {
  name: string
  pem: () => string
}

/**
 * Decrypts a request with the first matching key: RSA-OAEP (SHA-256, MGF1 SHA-256) for the AES key,
 * AES-128-GCM with a 16-byte tag for the data. `null` if no key matches or the request was changed.
 */
export async function decryptRequest(
  sealed: EncryptedPayload,
  candidates: PrivateKeyRef[],
): Promise<DecryptedRequest | null> {
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

/** Encrypts an answer with the same key and the inverted initial vector; the tag is at the end. */
async function seal(answer: string, key: CryptoKey, iv: Uint8Array<ArrayBuffer>): Promise<string> {
  const inverted = iv.map((byte) => byte ^ 0xff)
  const params = { name: 'AES-GCM', iv: inverted, tagLength: TAG_BITS }
  return Buffer.from(
    await crypto.subtle.encrypt(params, key, new TextEncoder().encode(answer)),
  ).toString('base64')
}

/** Returns `null` if WebCrypto throws: wrong key or modified data. */
async function attempt(work: () => Promise<ArrayBuffer>): Promise<ArrayBuffer | null> {
  try {
    return await work()
  } catch {
    return null
  }
}
