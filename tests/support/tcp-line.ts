import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A line to a server that can be cut, lose a response, or answer in the server's place. */
export class Line {
  /** Loses the response to the next request that begins like this, and is null again then. */
  losesNext: RegExp | null = null
  /** Answers the next request with this, and is null again then; with '' never. */
  answersNext: string | null = null
  /** Whether new connections are refused. */
  isDown = false
  /** The heads of the requests. */
  readonly heads: string[] = []
  private readonly server: Server
  private readonly ends = new Set<Socket>()

  constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.server = createServer((client) => {
      if (this.isDown) return void client.destroy()
      const upstream = connect(Number(port), hostname)
      let isLost = false
      client.on('data', (bytes) => {
        const text = bytes.toString()
        if (/^[A-Z]+ \/\S* HTTP/.test(text)) this.heads.push(text.split('\r\n\r\n')[0] ?? '')
        if (this.answersNext !== null) {
          if (this.answersNext !== '') client.end(this.answersNext)
          this.answersNext = null
          return
        }
        isLost ||= this.losesNext?.test(text) === true
        upstream.write(bytes)
      })
      upstream.on('data', (bytes) => {
        if (!isLost) return void client.write(bytes)
        this.losesNext = null
        client.destroy()
      })
      for (const [end, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.ends.add(end)
        end.on('error', () => undefined).on('close', () => other.destroy())
      }
    })
  }

  /** Opens the line. Returns its address. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Cuts all connections. */
  cut(): void {
    for (const end of this.ends) end.destroy()
    this.ends.clear()
  }

  close(): void {
    this.cut()
    this.server.close()
  }
}
