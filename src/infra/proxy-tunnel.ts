import { Agent as PlainAgent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectSecure } from 'node:tls'

/** Largest answer of a proxy to `CONNECT`, bytes. */
const MAX_ANSWER = 16 * 1024

/** Passes on a connection, or why there is none. */
type Done = (error: Error | null, socket?: Socket) => void

/** How an agent is told of a connection. */
type Callback = (error: Error | null, stream: Duplex) => void

type Options = ClientRequestArgs & { servername?: string }

/** Resolves the host of a request to an address that may be reached. */
type Lookup = (host: string, options: object, done: LookupDone) => void
type LookupDone = (error: Error | null, address: string) => void

/**
 * Returns agents whose connections lead through an HTTP proxy: it is asked with `CONNECT` for the
 * address that the request's own `lookup` returns, so that it resolves no name. Both schemes use a
 * tunnel; TLS begins behind the proxy, with the name of the host.
 */
export function tunnelAgents(
  proxy: URL,
  options: AgentOptions,
): { plain: PlainAgent; secure: SecureAgent } {
  const open = (request: Options, done: Done): void => {
    resolve(request, (error, address) => {
      if (error) done(error)
      else openTunnel(proxy, hostPort(address, Number(request.port)), done)
    })
  }
  class TunnelAgent extends PlainAgent {
    override createConnection(request: Options, callback?: Callback): null {
      open(request, doneOf(callback))
      return null
    }
  }
  class SecureTunnelAgent extends SecureAgent {
    override createConnection(request: Options, callback?: Callback): null {
      const done = doneOf(callback)
      open(request, (error, socket) => {
        if (error || !socket) done(error)
        else done(null, connectSecure({ servername: request.servername ?? '', socket }))
      })
      return null
    }
  }
  return { plain: new TunnelAgent(options), secure: new SecureTunnelAgent(options) }
}

const doneOf =
  (callback: Callback | undefined): Done =>
  (error, socket) =>
    callback?.(error, socket as Duplex) // unset together with an error only

function resolve({ host, lookup }: Options, done: LookupDone): void {
  const find = lookup as unknown as Lookup | undefined // the form that answers one address
  if (find === undefined) done(new Error('a request through a proxy must resolve its host'), '')
  else find(host ?? '', {}, done)
}

const hostPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** Asks a proxy for a connection. `done` gets the socket once the proxy has agreed. */
function openTunnel(proxy: URL, target: string, done: Done): void {
  const socket = connect(Number(proxy.port || 80), proxy.hostname.replace(/^\[|\]$/g, ''))
  let answer = ''
  const end = (error: Error | null): void => {
    socket.removeListener('data', read)
    socket.removeListener('error', end)
    socket.removeListener('close', closed)
    if (!error) return done(null, socket)
    socket.destroy()
    done(error)
  }
  const closed = (): void => end(new Error('the proxy closed the connection'))
  const read = (piece: Buffer): void => {
    answer += piece.toString('latin1')
    if (answer.includes('\r\n\r\n'))
      end(/^HTTP\/1\.[01] 200\b/.test(answer) ? null : new Error('the proxy refused'))
    else if (answer.length > MAX_ANSWER) end(new Error('the proxy did not answer as a proxy does'))
  }
  socket.once('connect', () => socket.write(requestFor(proxy, target)))
  socket.on('data', read)
  socket.once('error', end)
  socket.once('close', closed)
}

function requestFor({ username, password }: URL, target: string): string {
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`
}
