import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto'

/** The keys of a browser's subscription, base64url. */
export interface BrowserKeys {
  /** Its public key: an uncompressed point of P-256. */
  p256dh: string
  /** Its authentication secret, 16 bytes. */
  auth: string
}

const CURVE = 'prime256v1'
const POINT_BYTES = 65
const AUTH_BYTES = 16

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url')

/** Whether keys have the form of RFC 8291. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  if (bytesOf(p256dh).length !== POINT_BYTES || bytesOf(auth).length !== AUTH_BYTES) return false
  try {
    const own = createECDH(CURVE)
    own.generateKeys()
    own.computeSecret(bytesOf(p256dh)) // throws for a point that is not on the curve
    return true
  } catch {
    return false
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** The size of a record, more than any message of ours has. */
const RECORD_BYTES = 4_096

/** Marks the last record (RFC 8188, section 2). */
const LAST_RECORD = 2

/** Encrypts a message for a browser: `aes128gcm` of RFC 8188 with the keys of RFC 8291. */
export function encryptFor({ p256dh, auth }: BrowserKeys, message: string): Buffer {
  const own = createECDH(CURVE)
  const ownPublic = own.generateKeys()
  const theirs = bytesOf(p256dh)
  const salt = randomBytes(16)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ownPublic])
  const secret = derive(own.computeSecret(theirs), bytesOf(auth), info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const plain = Buffer.concat([Buffer.from(message), Buffer.from([LAST_RECORD])])
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const header = Buffer.alloc(5)
  header.writeUInt32BE(RECORD_BYTES, 0)
  header.writeUInt8(ownPublic.length, 4)
  return Buffer.concat([salt, header, ownPublic, encrypted])
}

/** A key pair of this installation: base64url of the point, and of the scalar. */
export interface ServerKeys {
  publicKey: string
  privateKey: string
}

/** Creates a key pair for RFC 8292. */
export function createServerKeys(): ServerKeys {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  const scalar = Buffer.alloc(32)
  const written = pair.getPrivateKey()
  written.copy(scalar, scalar.length - written.length)
  return {
    publicKey: pair.getPublicKey().toString('base64url'),
    privateKey: scalar.toString('base64url'),
  }
}

/** How long a token of RFC 8292 is valid, seconds. At most 24 hours are allowed. */
const TOKEN_S = 12 * 3_600

/** Returns the `Authorization` header that identifies this installation to a push service. */
export function identification(
  { publicKey, privateKey }: ServerKeys,
  { endpoint, contact, nowMs }: { endpoint: string; contact: string; nowMs: number },
): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({
    aud: new URL(endpoint).origin,
    exp: Math.floor(nowMs / 1_000) + TOKEN_S,
    sub: contact,
  })}`
  const point = bytesOf(publicKey)
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateKey,
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}
