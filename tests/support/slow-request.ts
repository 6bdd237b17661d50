import { connect } from 'node:net'

/** A request whose headers are sent immediately and whose body follows later. */
export interface SlowRequest {
  /** Sends the body and reads the response. */
  finish(): Promise<SlowAnswer>
  /**
   * Sends only the first byte of the body and reads the response. Resolves when the server has
   * closed the connection.
   */
  stall(): Promise<SlowAnswer>
}

/** The response, with its error code. */
export interface SlowAnswer {
  status: number
  code: string | undefined
}

/** Sends all of a request but its body. */
export function beginRequest(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): SlowRequest {
  const { hostname, port } = new URL(url)
  const done = Promise.withResolvers<string>()
  let received = ''
  const fields = {
    host: `${hostname}:${port}`,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const line = connect({ host: hostname, port: Number(port) })
  line.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`)
  line.on('data', (chunk: Buffer) => (received += chunk.toString()))
  line.on('close', () => done.resolve(received))
  line.on('error', done.reject)
  const answer = async (): Promise<SlowAnswer> => {
    const text = await done.promise
    return { status: Number(text.split(' ')[1]), code: /"code":"(\w+)"/.exec(text)?.[1] }
  }
  return {
    async finish() {
      line.write(body)
      return await answer()
    },
    async stall() {
      line.write(body.slice(0, 1))
      return await answer()
    },
  }
}
