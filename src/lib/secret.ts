import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

import { sha256Hex } from './hash'

/**
 * What a derived key is for. Each purpose has a key of its own, so that none can stand in for
 * another.
 */
export type KeyPurpose = 'access-token' | 'refresh-token' | 'stored-secrets' | 'short-codes'

/** The root keys: `current` makes and reads, `previous` only reads (key rotation). */
export interface RootKeys {
  current: Buffer
  previous: Buffer | null
}

/** A key of 32 bytes for one purpose, derived from a root key by HKDF-SHA-256 (RFC 5869). */
export const deriveKey = (root: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `switchboard/${purpose}`, 32))

/**
 * Encrypts secrets for storage and marks short codes. `aad` binds a ciphertext to its place, so
 * that it can't be moved to another row.
 */
export interface Vault {
  /** `keyid.nonce.ciphertext.tag`, AES-256-GCM, the last three in base64url. */
  seal(plain: string, aad: string): string
  /** The secret behind `sealed`. Throws when the key is unknown or the place is another one. */
  open(sealed: string, aad: string): string
  /**
   * The same secret, encrypted with the present key. Returns `sealed` itself when the present key
   * made it, or when no key of the vault did.
   */
  reseal(sealed: string, aad: string): string
  /** Whether one of the vault's keys made it. */
  knows(sealed: string): boolean
  /** The id of the present key: every ciphertext it makes begins with it. */
  readonly currentKeyId: string
  /** The ids of all keys of the vault, the present one first. */
  readonly keyIds: readonly string[]
  /**
   * HMAC-SHA-256 of a code too short for a bare hash, as hex digits: one for each digest key, the
   * newest key first.
   */
  marks(code: string): string[]
}

/**
 * Encrypts and decrypts with the root keys alone; the digest keys are stored encrypted with them.
 */
export type Sealer = Omit<Vault, 'marks'>

const keyId = (key: Buffer): string => sha256Hex(key).slice(0, 8)

/** The id of the key that made a ciphertext. */
export const keyIdOf = (sealed: string): string => sealed.split('.', 1)[0] ?? ''

/** Seals with the current root key, opens with either. */
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
        throw new Error('a stored secret was encrypted with a key this server does not have')
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

/** A vault over the root keys and the keys of digests, the newest first. */
export const createVault = (sealer: Sealer, digestKeys: readonly Buffer[]): Vault => ({
  ...sealer,
  marks: (code) => digestKeys.map((key) => createHmac('sha256', key).update(code).digest('hex')),
})
