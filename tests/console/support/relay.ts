import type { Socket, TCPSocketListener } from 'bun'

interface End {
  other: Socket<End> | null
  waiting: Buffer[]
}

/** A line between browsers and the server, which can be cut like a server that restarts. */
export class Relay {
  private listener: TCPSocketListener<End>
  private readonly open = new Set<Socket<End>>()

  /** With a certificate, browsers speak TLS with the line, and the line does not with the server. */
  constructor(
    private readonly target: number,
    private readonly at: { port?: number; tls?: { key: string; cert: string } } = {},
  ) {
    this.listener = this.listen(at.port ?? 0)
  }

  /** Where browsers find the server. */
  get url(): string {
    return `http://127.0.0.1:${this.listener.port}`
  }

  /** Closes every connection, and takes none until `restore`. */
  cut(): void {
    this.listener.stop(true)
    for (const socket of this.open) socket.terminate()
    this.open.clear()
  }

  /** Takes connections again, at the same address. */
  restore(): void {
    this.listener = this.listen(this.listener.port)
  }

  private listen(port: number): TCPSocketListener<End> {
    const { open } = this
    const pass = (from: Socket<End>, data: Buffer): void => {
      const { other, waiting } = from.data
      if (other) other.write(data)
      else waiting.push(Buffer.from(data))
    }
    const end = (socket: Socket<End>): void => {
      open.delete(socket)
      socket.data.other?.end()
    }
    return Bun.listen<End>({
      hostname: '127.0.0.1',
      port,
      ...(this.at.tls ? { tls: this.at.tls } : {}),
      socket: {
        open: (client) => {
          client.data = { other: null, waiting: [] }
          open.add(client)
          Bun.connect<End>({
            hostname: '127.0.0.1',
            port: this.target,
            data: { other: client, waiting: [] },
            socket: {
              open: (server) => {
                open.add(server)
                client.data.other = server
                for (const data of client.data.waiting) server.write(data)
              },
              data: pass,
              close: end,
            },
          }).catch(() => client.terminate())
        },
        data: pass,
        close: end,
      },
    })
  }
}
