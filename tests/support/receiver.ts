import type { Server } from 'bun'

import { signWebhook } from '../../src/lib/standard-webhook'

/** A request that an endpoint received. */
export interface Received {
  headers: Headers
  text: string
  body: { id: string; type: string; seq: number; data: Record<string, unknown> }
}

type Reply = (request: Received, nth: number) => Response | Promise<Response>

/** A customer's endpoint: records what it receives and answers as it is told. */
export class Receiver {
  readonly received: Received[] = []
  reply: Reply = () => new Response('thanks')
  private readonly server: Server<undefined>

  constructor() {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const text = await request.text()
        const item = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] }
        this.received.push(item)
        return await this.reply(item, this.received.length - 1)
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/hook`
  }

  /** Types of the received events. */
  get types(): string[] {
    return this.received.map(({ body }) => body.type)
  }

  /** Whether a request is signed with the secret. */
  static isSigned({ headers, text }: Received, secret: string): boolean {
    const signed = signWebhook(secret, {
      id: headers.get('webhook-id') ?? '',
      timestampS: Number(headers.get('webhook-timestamp')),
      body: text,
    })
    return (headers.get('webhook-signature') ?? '').split(' ').includes(signed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true)
  }
}
