import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

import { sha256Hex } from './hash'

/**
 * Purpose of a derived key. Each purpose has its own key, so that no key works for another purpose.
 */
export type KeyPurpose = 'access-token' | 'refresh-token' | 'stored-secrets' | 'short-codes'

/** Root keys: `current` encrypts and decrypts, `previous` only decrypts (key rotation). */
export interface RootKeys {
  current: Buffer
  previous: Buffer | null
}

/** Derives a 32-byte key for one purpose from a root key by HKDF-SHA-256 (RFC 5869). */
export const deriveKey = (root: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `switchboard/${purpose}`, 32))

/**
 * Encrypts secrets for storage and computes keyed digests of short codes. `aad` binds a ciphertext
 * to its row, so that it cannot be moved to another one.
 */
export interface Vault {
  /**
   * Returns `keyid.nonce.ciphertext.tag`, encrypted with AES-256-GCM. The last three parts are
   * base64url.
   */
  seal(plain: string, aad: string): string
  /** Decrypts `sealed`. Throws if the key is unknown or `aad` differs. */
  open(sealed: string, aad: string): string
  /**
   * Re-encrypts a secret with the current key. Returns `sealed` itself if it already uses the
   * current key or an unknown one.
   */
  reseal(sealed: string, aad: string): string
  /** Reports whether one of the vault's keys encrypted `sealed`. */
  knows(sealed: string): boolean
  /** ID of the current key. Its ciphertexts begin with it. */
  readonly currentKeyId: string
  /** IDs of all keys of the vault, current key first. */
  readonly keyIds: readonly string[]
  /**
   * Returns the HMAC-SHA-256 of a code that is too short for a plain hash, as hex digits: one per
   * digest key, newest key first.
   */
  codeDigests(code: string): string[]
}

/** Encrypts and decrypts with the root keys only. The digest keys are stored encrypted by it. */
export type Sealer = Omit<Vault, 'codeDigests'>

const keyId = (key: Buffer): string => sha256Hex(key).slice(0, 8)

/** Returns the ID of the key that encrypted a secret. */
export const keyIdOf = (sealed: string): string => sealed.split('.', 1)[0] ?? ''

/** Creates a sealer that encrypts with the current root key and decrypts with either one. */
export function createSealer(roots: RootKeys): Sealer {
  const keys = new Map(
    [roots.current, ...(roots.previous ? [roots.previous] : [])]
      .map((root) => deriveKey(root, 'stored-secrets'))
      .map((key) => [keyId(key), key] as const),
  )
  const [currentKeyId = ''] = keys.keys()
  const current = keys.get(currentKeyId) ?? Buffer.alloc(0)
  const sealer: Sealer = {
    seal(plain, aad) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(aad))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return [
        currentKeyId,
        nonce.toString('base64url'),
        text.toString('base64url'),
        cipher.getAuthTag().toString('base64url'),
      ].join('.')
    },
    open(sealed, aad) {
      const [id = '', nonce = '', text = '', tag = ''] = sealed.split('.')
      const key = keys.get(id)
      if (!key)
        throw new Error('a stored secret was encrypted with a key that this server does not have')
      const cipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      })
        .setAAD(Buffer.from(aad))
        .setAuthTag(Buffer.from(tag, 'base64url'))
      return Buffer.concat([
        cipher.update(Buffer.from(text, 'base64url')),
        cipher.final(),
      ]).toString('utf8')
    },
    reseal: (sealed, aad) =>
      keyIdOf(sealed) === currentKeyId || !sealer.knows(sealed)
        ? sealed
        : sealer.seal(sealer.open(sealed, aad), aad),
    knows: (sealed) => keys.has(keyIdOf(sealed)),
    currentKeyId,
    keyIds: [...keys.keys()],
  }
  return sealer
}

/** Creates a vault from a sealer and the digest keys, newest first. */
export const createVault = (sealer: Sealer, digestKeys: readonly Buffer[]): Vault => ({
  ...sealer,
  codeDigests: (code) =>
    digestKeys.map((key) => createHmac('sha256', key).update(code).digest('hex')),
})
