import { join } from 'node:path'

import { APP_SECRET } from '../../chaos/installation'
import type { BusinessNumber } from '../../simulator/payloads'

/** Texts that are to be posted, and heard by every socket. */
export interface Order {
  /** Where they are posted. */
  url: string
  line: BusinessNumber
  run: string
  texts: number
  /**
   * No more than so many frames a second to each socket, when so many come of a text; as fast as
   * they are heard unless said.
   */
  framesPerSecond?: number
  framesPerText?: number
}

/** What was heard. */
export interface Heard {
  /** Frames a second, of all sockets together. */
  perSecond: number
  /** Of a frame, on average. */
  bytes: number
  framesPerText: number
  p99Ms: number
}

/** Many sockets, held open by a process of its own that also posts what they are to hear. */
export class Listeners {
  private readonly lines: AsyncIterator<string>

  private constructor(private readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.lines = linesOf(child.stdout)
  }

  /** Opens a socket to each address. Rejects when one is refused. */
  static async open(urls: string[]): Promise<Listeners> {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'listening.ts')], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const listeners = new Listeners(child)
    await listeners.say({ urls, secret: APP_SECRET })
    if ((await listeners.next()) !== 'open') throw new Error('the sockets could not be opened')
    return listeners
  }

  private async say(what: unknown): Promise<void> {
    await this.child.stdin.write(`${JSON.stringify(what)}\n`)
    await this.child.stdin.flush()
  }

  private async next(): Promise<string> {
    const { value, done } = await this.lines.next()
    if (done) throw new Error('the listeners have ended')
    return value
  }

  /** Posts texts and waits until all sockets have heard them. */
  async listen(order: Order): Promise<Heard> {
    await this.say(order)
    return JSON.parse(await this.next()) as Heard
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill()
    await this.child.exited
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}
