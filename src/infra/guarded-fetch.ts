import { lookup as lookupName } from 'node:dns/promises'
import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { networkInterfaces } from 'node:os'

import {
  hostOf,
  isAllowedHostPort,
  isReachableAddress,
  blockedUrlReason,
  type EgressExceptions,
} from '../lib/egress'
import { MINUTE_MS } from '../lib/clock'
import { namesHost } from '../lib/web-url'
import { tunnelAgents } from './proxy-tunnel'

/** A resolved address of a host name. */
export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/** All addresses of a host. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>

/** How much and how long an exchange may be. */
export interface FetchLimits {
  maxBytes: number
  /** From start to the last byte, over all redirects, milliseconds. */
  totalTimeoutMs: number
  /** Until a connection is established, TLS included, milliseconds. Defaults to the total. */
  connectTimeoutMs?: number | undefined
  maxRedirects: number
  signal?: AbortSignal | undefined
  /** Method, headers and body; without it the request is a plain GET. */
  sends?: OutgoingRequest | undefined
  /** Whether answers of every status are returned. Otherwise all but 2xx are refused. */
  takesAnyStatus?: boolean | undefined
  /** Whether a redirect is returned like any other answer. */
  takesRedirects?: boolean | undefined
  /** Whether a compressed answer is returned as it is. Otherwise it is refused. */
  takesEncoded?: boolean | undefined
  /** Whether the connection stays open for the next such request to the host, up to a minute. */
  keepsConnection?: boolean | undefined
}

/** Unused connections kept per host: as many as requests may run at once. */
const KEPT = { keepAlive: true, maxFreeSockets: 200, timeout: MINUTE_MS }

/** What opens connections for `http:` and `https:`; `false` opens one per request. */
interface Agents {
  plain: PlainAgent | false
  secure: SecureAgent | false
}

const agentsFor = (proxy: URL | null): { kept: Agents; single: Agents } =>
  proxy === null
    ? {
        kept: { plain: new PlainAgent(KEPT), secure: new SecureAgent(KEPT) },
        single: { plain: false, secure: false },
      }
    : { kept: tunnelAgents(proxy, KEPT), single: tunnelAgents(proxy, {}) }

/**
 * A request with headers. Only a GET follows redirects, and headers are not sent to another host.
 */
export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | null
}

/**
 * A response whose body is read as it arrives. The caller must read it to its end or call `close`.
 */
export interface GuardedAnswer {
  status: number
  headers: Readonly<IncomingHttpHeaders>
  /** The URL of the response, after redirects. */
  url: URL
  mimeType: string | null
  filename: string | null
  /** Fails with FetchRefusal (`too_large`, `timeout`, `unreachable`) in the middle. */
  bytes: AsyncIterable<Uint8Array>
  close(): void
}

export type FetchRefusalKind =
  | 'refused_address'
  | 'unreachable'
  | 'timeout'
  | 'redirects'
  | 'status'
  | 'too_large'
  | 'encoded'

/**
 * What failed of an exchange that is `unreachable`: the name, the connection, TLS, the head of the
 * response (there was none, or no valid one), or its body (it ended early).
 */
export type UnreachableFailure = 'dns' | 'connect' | 'tls' | 'protocol' | 'body'

/**
 * A customer's URL was refused or gave no response. `reason` continues "The address …" and names no
 * resolved address.
 */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal'

  constructor(
    readonly kind: FetchRefusalKind,
    readonly reason: string,
    readonly failure: UnreachableFailure = 'connect',
  ) {
    super(`${kind}: ${reason}`)
  }
}

/** Fetches a URL provided by a customer. Throws FetchRefusal. */
export interface GuardedFetch {
  (url: string, limits: FetchLimits): Promise<GuardedAnswer>
  /**
   * Returns why a URL is refused regardless of its DNS records, as the end of "The address …";
   * `null` if it is not.
   */
  refusalOf(url: string): string | null
  /** Whether URLs of this host may begin with `http:`: the operator allows it, or all of them. */
  allowsPlain(url: string): boolean
  /** Closes all kept connections. */
  close(): void
}

const resolveAll: Resolve = async (host) =>
  (await lookupName(host, { all: true, verbatim: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }))

/** How long the addresses of this machine are remembered, milliseconds. */
const OWN_KNOWN_MS = 1_000

/**
 * Returns a function that returns the addresses of this machine, including public ones, as they were
 * at most a second ago. Customers must not reach services that listen here.
 */
function ownAddressesOf(): () => readonly string[] {
  let known: { addresses: string[]; atMs: number } | null = null
  return () => {
    const nowMs = performance.now()
    if (known === null || nowMs - known.atMs > OWN_KNOWN_MS) {
      const found = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
      known = { addresses: found.map(({ address }) => address), atMs: nowMs }
    }
    return known.addresses
  }
}

/**
 * Creates the only client that fetches URLs provided by customers. It resolves the name itself,
 * checks all its addresses, and connects to a checked address while TLS and `Host` keep the name,
 * so nothing is resolved twice. Each redirect is checked in the same way. Proxies of the
 * environment are not used, and no cookie is sent. With `proxy`, the checked address is reached
 * through that proxy.
 */
export function createGuardedFetch(options: {
  exceptions: EgressExceptions
  allowsPlain?: boolean
  proxy?: URL | null
  resolve?: Resolve
  own?: () => readonly string[]
}): GuardedFetch {
  const { exceptions, resolve = resolveAll, own = ownAddressesOf() } = options
  const agents = agentsFor(options.proxy ?? null)

  async function resolveAllowed(url: URL): Promise<ResolvedAddress> {
    const mine = own()
    const refusal = blockedUrlReason(url, exceptions, mine)
    if (refusal !== null) throw new FetchRefusal('refused_address', refusal)
    const host = hostOf(url)
    const found = await resolve(host).catch(() => [])
    const [first] = found
    if (!first) throw new FetchRefusal('unreachable', 'has a host that does not exist', 'dns')
    const isGood =
      isAllowedHostPort(url, exceptions) ||
      found.every(({ address }) => isReachableAddress(address, exceptions, mine))
    if (!isGood) throw new FetchRefusal('refused_address', 'is not a public address')
    return first
  }

  const refusalOf = (written: string): string | null => {
    const url = URL.parse(written)
    if (url === null) return 'is malformed'
    return blockedUrlReason(url, exceptions, own()) ?? (namesHost(written) ? null : 'has no host')
  }

  const fetchGuarded = async (written: string, limits: FetchLimits): Promise<GuardedAnswer> => {
    const clock = deadline(limits)
    try {
      let url = parse(written)
      const { method = 'GET', body = null, headers: given = {} } = limits.sends ?? {}
      let headers = given
      for (let hop = 0; ; hop += 1) {
        const refusal = blockedUrlReason(url, exceptions, own())
        if (refusal !== null) throw new FetchRefusal('refused_address', refusal)
        const resolveOnce = (): Promise<ResolvedAddress> => clock.race(resolveAllowed(url))
        const answer = await ask(url, resolveOnce, {
          clock,
          sends: { method, body, headers },
          limits,
          agents: limits.keepsConnection === true ? agents.kept : agents.single,
        })
        const next = limits.takesRedirects === true ? null : redirectOf(answer, url)
        if (next === null) return readable(answer, url, limits, clock)
        answer.destroy()
        if (method !== 'GET' || hop >= limits.maxRedirects)
          throw new FetchRefusal('redirects', 'has too many redirects')
        if (next.host !== url.host || next.protocol !== url.protocol) headers = {}
        url = next
      }
    } catch (error) {
      clock.stop()
      throw error instanceof FetchRefusal ? error : unreachable(error)
    }
  }
  const allowsPlain = (written: string): boolean => {
    const url = URL.parse(written)
    return options.allowsPlain === true || (url !== null && isAllowedHostPort(url, exceptions))
  }
  const close = (): void => {
    for (const agent of [agents.kept.plain, agents.kept.secure]) if (agent) agent.destroy()
  }
  return Object.assign(fetchGuarded, { refusalOf, allowsPlain, close })
}

function parse(written: string, base?: URL): URL {
  const url = base ? URL.parse(written, base.href) : URL.parse(written)
  if (!url) throw new FetchRefusal('refused_address', 'is malformed')
  if (!base && !namesHost(written)) throw new FetchRefusal('refused_address', 'has no host')
  return url
}

/** A time limit for a whole request. Every wait in it fails when the time is over. */
interface Deadline {
  /** Fails when the time is over or the caller gave up. */
  race<T>(work: Promise<T>): Promise<T>
  /** Registers a callback for the end of the time or an abort by the caller. */
  onEnd(end: (error: FetchRefusal) => void): void
  stop(): void
}

function deadline({ totalTimeoutMs, signal }: FetchLimits): Deadline {
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const enders: ((error: FetchRefusal) => void)[] = []
  const finish = (error: FetchRefusal): void => {
    over.reject(error)
    for (const end of enders) end(error)
  }
  const timer = setTimeout(
    () => finish(new FetchRefusal('timeout', 'took too long to respond')),
    totalTimeoutMs,
  )
  const onAbort = (): void => finish(new FetchRefusal('timeout', 'was aborted'))
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    race: (work) => Promise.race([work, over.promise]),
    onEnd: (end) => void enders.push(end),
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Codes of errors in the handshake of a secure connection. */
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_)/

function unreachable(error: unknown): FetchRefusal {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && TLS_CODE.test(code)
    ? new FetchRefusal('unreachable', 'has no valid certificate', 'tls')
    : new FetchRefusal('unreachable', 'could not be reached')
}

/**
 * Sends one request. A new connection goes to the address that `resolve` returns, which has been
 * checked; the name is resolved once for it. Resolves with the response, body unread.
 */
function ask(
  url: URL,
  resolveAddress: () => Promise<ResolvedAddress>,
  at: { clock: Deadline; sends: OutgoingRequest; limits: FetchLimits; agents: Agents },
): Promise<IncomingMessage> {
  const { clock, sends, limits, agents } = at
  const isSecure = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const body =
    sends.body === null
      ? undefined
      : typeof sends.body === 'string'
        ? new TextEncoder().encode(sends.body)
        : sends.body
  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method: sends.method,
    agent: isSecure ? agents.secure : agents.plain,
    lookup: (_host, options, done) => {
      const answer = done as unknown as (error: Error | null, ...found: unknown[]) => void // both forms of `lookup`
      resolveAddress().then(
        (found) => {
          if (options.all === true) answer(null, [found])
          else answer(null, found.address, found.family)
        },
        (error: unknown) => {
          reject(error as Error)
          answer(error as Error)
        },
      )
    },
    headers: {
      accept: '*/*',
      'user-agent': 'Switchboard',
      ...sends.headers,
      ...(body ? { 'content-length': String(body.length) } : {}),
      'accept-encoding': 'identity',
      ...(limits.keepsConnection === true ? {} : { connection: 'close' }),
    },
  })
  clock.onEnd((error) => {
    reject(error)
    request.destroy()
  })
  const connection = watchConnection(request, { isSecure, maxMs: limits.connectTimeoutMs })
  request.on('error', (error) =>
    reject(
      connection.isOpen && !(error instanceof FetchRefusal)
        ? new FetchRefusal('unreachable', 'gave no valid response', 'protocol')
        : error,
    ),
  )
  request.on('response', resolve)
  request.end(body)
  return promise
}

/**
 * Tells whether the connection of a request is established, TLS included. Ends a request that is
 * not connected in time.
 */
function watchConnection(
  request: ClientRequest,
  { isSecure, maxMs }: { isSecure: boolean; maxMs: number | undefined },
): { isOpen: boolean } {
  const connection = { isOpen: false }
  request.on('socket', (socket) => {
    // A tunnel through a proxy is established before the request gets it.
    connection.isOpen = request.reusedSocket || (!isSecure && !socket.connecting)
    if (connection.isOpen) return
    const timer =
      maxMs === undefined
        ? undefined
        : setTimeout(() => {
            request.destroy(new FetchRefusal('unreachable', 'could not be connected to in time'))
          }, maxMs)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      connection.isOpen = true
      clearTimeout(timer)
    })
    socket.once('close', () => clearTimeout(timer))
  })
  return connection
}

/** Returns the target of a redirect; `null` if the response is none. */
function redirectOf(answer: IncomingMessage, from: URL): URL | null {
  const { statusCode = 0, headers } = answer
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null
  return parse(headers.location, from)
}

function readable(
  answer: IncomingMessage,
  url: URL,
  limits: FetchLimits,
  clock: Deadline,
): GuardedAnswer {
  const close = (): void => {
    clock.stop()
    answer.destroy()
  }
  const { headers, statusCode: status = 0 } = answer
  if (limits.takesAnyStatus !== true && (status < 200 || status >= 300)) {
    close()
    throw new FetchRefusal('status', `answered ${status}`)
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && limits.takesEncoded !== true) {
    close()
    throw new FetchRefusal('encoded', 'returned compressed data that was not requested')
  }
  if (Number(headers['content-length'] ?? 0) > limits.maxBytes) {
    close()
    throw tooLarge(limits)
  }
  clock.onEnd((error) => answer.destroy(error))
  return {
    status,
    headers,
    url,
    mimeType: headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null,
    filename: decodeURIComponentOrNull(url.pathname.split('/').at(-1) ?? ''),
    bytes: capped(answer, limits, clock),
    close,
  }
}

const tooLarge = ({ maxBytes }: FetchLimits): FetchRefusal =>
  new FetchRefusal('too_large', `exceeds the limit of ${Math.floor(maxBytes / 1024)} KiB`)

function decodeURIComponentOrNull(part: string): string | null {
  try {
    return decodeURIComponent(part) || null
  } catch {
    return null
  }
}

const interrupted = (): FetchRefusal => new FetchRefusal('unreachable', 'was interrupted', 'body')

async function* capped(
  answer: IncomingMessage,
  limits: FetchLimits,
  clock: Deadline,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > limits.maxBytes) throw tooLarge(limits)
      yield piece
    }
    if (!answer.complete) throw interrupted()
  } catch (error) {
    throw error instanceof FetchRefusal ? error : interrupted()
  } finally {
    clock.stop()
    if (!answer.complete) answer.destroy()
  }
}
