import { connect, type Socket } from 'node:net'

/** The server's response to an upgrade request. */
export interface UpgradeAnswer {
  status: number
  headers: Headers
  /** The envelope of a refusal; `null` when the socket was opened. */
  body: { status?: string; code?: string; message?: string; errors?: unknown } | null
}

const OP = { text: 0x1, binary: 0x2 } as const

/**
 * A TCP connection that speaks just enough WebSocket: it exposes the response to the upgrade, and
 * reads only on demand.
 */
export class RawSocket {
  private received = Buffer.alloc(0)
  private wake: () => void = () => undefined
  isClosed = false

  private constructor(private readonly line: Socket) {
    line.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk])
      this.wake()
    })
    line.on('close', () => {
      this.isClosed = true
      this.wake()
    })
    line.on('error', () => undefined)
  }

  /** Requests an upgrade of `path` and reads only the response. */
  static async ask(
    url: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ socket: RawSocket; answer: UpgradeAnswer }> {
    const { hostname, port } = new URL(url)
    const line = connect({ host: hostname, port: Number(port) })
    const socket = new RawSocket(line)
    const fields = {
      host: `${hostname}:${port}`,
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      ...headers,
    }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    line.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    const answer = await socket.readAnswer()
    if (answer.status !== 101) socket.end()
    return { socket, answer }
  }

  private async readAnswer(): Promise<UpgradeAnswer> {
    await this.until(() => this.received.includes('\r\n\r\n'))
    const text = this.received.toString('latin1')
    const [head = ''] = text.split('\r\n\r\n')
    const [first = '', ...fields] = head.split('\r\n')
    const headers = new Headers(
      fields.map((field): [string, string] => [
        field.slice(0, field.indexOf(':')),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    const status = Number(first.split(' ')[1])
    const length = Number(headers.get('content-length') ?? 0)
    await this.until(() => this.received.length >= head.length + 4 + length)
    const body = this.received.subarray(head.length + 4, head.length + 4 + length).toString('utf8')
    this.received = this.received.subarray(head.length + 4 + length)
    return {
      status,
      headers,
      body: body === '' ? null : (JSON.parse(body) as UpgradeAnswer['body']),
    }
  }

  private async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.isClosed)
        throw new Error(`the line was closed after ${this.received.toString('latin1')}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.wake = resolve
      await promise
    }
  }

  /** Sends one whole frame, masked as clients must. */
  send(kind: keyof typeof OP, payload: string | Uint8Array): void {
    const bytes = Buffer.from(payload)
    const length =
      bytes.length < 126
        ? Buffer.from([0x80 | bytes.length])
        : Buffer.from([0x80 | 126, bytes.length >> 8, bytes.length & 0xff])
    const head = Buffer.concat([Buffer.from([0x80 | OP[kind]]), length, Buffer.alloc(4)])
    this.line.write(Buffer.concat([head, bytes])) // the mask is zero, so the bytes stay unchanged
  }

  /** Returns the code of the next close frame; `null` if the connection ends without one. */
  async closeCode(): Promise<number | null> {
    for (;;) {
      const [opcode, lead = 0] = [(this.received[0] ?? 0) & 0x0f, this.received[1]]
      const header = lead === 126 ? 4 : lead === 127 ? 10 : 2
      const size = lead === 126 ? this.received.readUInt16BE(2) : lead
      if (this.received.length >= header + size && this.received.length > 2) {
        if (opcode === 0x8) return this.received.readUInt16BE(header)
        this.received = this.received.subarray(header + size)
        continue
      }
      if (this.isClosed) return null
      const { promise, resolve } = Promise.withResolvers<void>()
      this.wake = resolve
      await promise
    }
  }

  /** Stops reading, so that the server's data accumulates. */
  pause(): void {
    this.line.pause()
  }

  /**
   * Reads until this text arrives and drops everything before it. Returns the number of bytes read;
   * rejects if the connection ends.
   */
  async readUntil(text: string): Promise<number> {
    let [bytes, tail] = [0, '']
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.line.removeAllListeners('data')
    this.line.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      tail = tail.slice(-text.length) + chunk.toString('latin1')
      if (tail.includes(text)) resolve(bytes)
    })
    this.line.on('close', () => reject(new Error(`the line was closed before ${text} came`)))
    this.line.resume()
    return await promise
  }

  /** Reads and drops everything until the connection closes. */
  async drainUntilClosed(): Promise<void> {
    this.line.removeAllListeners('data')
    this.line.resume()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.wake = resolve
    if (!this.isClosed) await promise
  }

  end(): void {
    this.line.destroy()
  }
}
