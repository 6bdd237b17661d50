import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

import { sha256Hex } from './hash'

/** What a derived key is for. Each purpose has a key of its own, so that none can stand in for another. */
export type KeyPurpose = 'access-token' | 'refresh-token' | 'stored-secrets' | 'short-codes'

/** The root keys: `current` makes and reads, `previous` only reads (key rotation). */
export interface RootKeys {
  current: Buffer
  previous: Buffer | null
}

/** A key of 32 bytes for one purpose, derived from a root key by HKDF-SHA-256 (RFC 5869). */
export const deriveKey = (root: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `switchboard/${purpose}`, 32))

/** Encrypts secrets for storage and marks short codes. `aad` binds a ciphertext to its place, so that it can't be moved to another row. */
export interface Vault {
  /** `keyid.nonce.ciphertext.tag`, AES-256-GCM, the last three in base64url. */
  seal(plain: string, aad: string): string
  /** The secret behind `sealed`. Throws when the key is unknown or the place is another one. */
  open(sealed: string, aad: string): string
  /** Whether one of the vault's keys made it. */
  knows(sealed: string): boolean
  /** How everything begins that the present key made. */
  readonly currentKeyId: string
  /** Whether there is a former key besides the present one. */
  readonly isRotating: boolean
  /** HMAC-SHA-256 of a code too short for a bare hash, under the present key and then the former one, as hex digits. */
  marks(code: string): string[]
}

const keyId = (key: Buffer): string => sha256Hex(key).slice(0, 8)

/** A vault over the root keys: seals with the current one, opens with either. */
export function createVault(roots: RootKeys): Vault {
  const current = deriveKey(roots.current, 'stored-secrets')
  const keys = new Map([[keyId(current), current]])
  if (roots.previous) {
    const previous = deriveKey(roots.previous, 'stored-secrets')
    keys.set(keyId(previous), previous)
  }
  const markKeys = [roots.current, ...(roots.previous ? [roots.previous] : [])].map((root) => deriveKey(root, 'short-codes'))
  return {
    marks: (code) => markKeys.map((key) => createHmac('sha256', key).update(code).digest('hex')),
    seal(plain, aad) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(aad))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return [keyId(current), nonce.toString('base64url'), text.toString('base64url'), cipher.getAuthTag().toString('base64url')].join('.')
    },
    open(sealed, aad) {
      const [id = '', nonce = '', text = '', tag = ''] = sealed.split('.')
      const key = keys.get(id)
      if (!key) throw new Error('a stored secret was encrypted with a key this server does not have')
      const cipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
        .setAAD(Buffer.from(aad))
        .setAuthTag(Buffer.from(tag, 'base64url'))
      return Buffer.concat([cipher.update(Buffer.from(text, 'base64url')), cipher.final()]).toString('utf8')
    },
    knows: (sealed) => keys.has(sealed.split('.', 1)[0] ?? ''),
    currentKeyId: keyId(current),
    isRotating: roots.previous !== null,
  }
}
