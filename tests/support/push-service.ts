import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'

import type { Server } from 'bun'

const CURVE = 'prime256v1'

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** A browser with its keys. It decrypts what it is sent, as RFC 8291 says. */
export class Browser {
  private readonly pair = createECDH(CURVE)
  private readonly secret = randomBytes(16)
  private readonly point = this.pair.generateKeys()

  constructor(readonly endpoint: string) {}

  /** Its subscription as `PushSubscription.toJSON` writes it. */
  get subscription(): { endpoint: string; keys: { p256dh: string; auth: string } } {
    return {
      endpoint: this.endpoint,
      keys: {
        p256dh: this.point.toString('base64url'),
        auth: this.secret.toString('base64url'),
      },
    }
  }

  decrypt(body: Buffer): unknown {
    const salt = body.subarray(0, 16)
    const theirs = body.subarray(21, 21 + body.readUInt8(20))
    const encrypted = body.subarray(21 + theirs.length)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.point, theirs])
    const secret = derive(this.pair.computeSecret(theirs), this.secret, info, 32)
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(encrypted.subarray(-16))
    const plain = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()])
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString())
  }
}

/** A request that the push service received. */
export interface Pushed {
  path: string
  headers: Headers
  body: Buffer
}

/** A push service: records what it is sent, and answers as it is told. */
export class PushService {
  readonly received: Pushed[] = []
  status = 201
  private readonly server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      this.received.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: Buffer.from(await request.arrayBuffer()),
      })
      return new Response(null, { status: this.status })
    },
  })

  get port(): number {
    return this.server.port ?? 0
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Returns the claims of a request that is signed with the key it names (RFC 8292). */
  static claimsOf({ headers }: Pushed, publicKey: string): Record<string, unknown> {
    const [, token = '', key = ''] =
      /^vapid t=([^,]+), k=(.+)$/.exec(headers.get('authorization') ?? '') ?? []
    const [head = '', claims = '', signature = ''] = token.split('.')
    const point = Buffer.from(publicKey, 'base64url')
    const isSigned =
      key === publicKey &&
      verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        {
          key: createPublicKey({
            format: 'jwk',
            key: {
              kty: 'EC',
              crv: 'P-256',
              x: point.subarray(1, 33).toString('base64url'),
              y: point.subarray(33).toString('base64url'),
            },
          }),
          dsaEncoding: 'ieee-p1363',
        },
        Buffer.from(signature, 'base64url'),
      )
    if (!isSigned) throw new Error('the request is not signed with the key')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  }

  async stop(): Promise<void> {
    await this.server.stop(true)
  }
}
