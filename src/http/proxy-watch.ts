import { MINUTE_MS, type Clock } from '../lib/clock'
import { isPublicAddress } from '../lib/egress'
import type { Log } from '../infra/log'
import { CERTAIN_AFTER, type ProxySign, type ProxySigns } from '../infra/proxy-signs'

/** The parts of a request that a proxy changes. */
export interface ProxiedRequest {
  headers: Headers
  path: string
  /** Address of the socket's other end. */
  peer: string
}

/** Headers that only proxies add. */
const PROXY_HEADERS = ['x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

const SOCKET_PATH = '/ws'
const WEBHOOK_PATH = '/api/webhook'

/**
 * Observes the proxy in front of the server, for `doctor`: whether `X-Forwarded-For` comes from a
 * trusted proxy, whether it comes at all, whether sockets are upgraded and whether bodies arrive
 * whole. Keeps only facts about the proxy's configuration, nothing about a client.
 */
export class ProxyWatch {
  readonly signs: ProxySigns = {
    trust: blank(),
    forwarding: blank(),
    upgrades: blank(),
    bodies: blank(),
  }
  private readonly warned = new Set<string>()
  private timer: ReturnType<typeof setInterval> | null = null
  private isSaved = true
  private readonly host: string | null

  constructor(
    private readonly parts: {
      clock: Pick<Clock, 'nowMs'>
      log: Pick<Log, 'warn'>
      /** Whether an address is in TRUSTED_PROXIES. */
      isTrusted: (address: string) => boolean
      /** Saves the observations for `doctor`. */
      save: (signs: ProxySigns) => void
    },
    baseUrl: string,
  ) {
    const { protocol, host } = new URL(baseUrl)
    // The server itself speaks no TLS, so HTTPS requests come through a proxy.
    this.host = protocol === 'https:' ? host : null
  }

  /** Records a request. Returns whether it came through a proxy. */
  observe({ headers, path, peer }: ProxiedRequest): boolean {
    const forwardedFor = headers.get('x-forwarded-for')
    if (forwardedFor !== null) this.noteTrust(peer)
    const isProxied = forwardedFor !== null || this.isFromProxy({ headers, path, peer })
    if (isProxied) this.note('forwarding', forwardedFor !== null, peer)
    if (path === SOCKET_PATH && headers.has('sec-websocket-key'))
      this.note('upgrades', headers.get('upgrade')?.toLowerCase() === 'websocket', peer)
    return isProxied
  }

  /**
   * Records that a body came through a proxy whole, or was cut off before its declared length in
   * bytes.
   */
  recordBody(declared: number, isWhole: boolean): void {
    const worst = Number(this.signs.bodies.seen)
    if (isWhole ? declared >= worst && worst > 0 : declared > 0)
      this.note('bodies', isWhole, String(Math.max(worst, declared)))
  }

  /** Saves the signs each minute until `stop`. */
  start(): void {
    this.parts.save(this.signs) // observations of an earlier process do not count
    this.timer = setInterval(() => this.save(), MINUTE_MS)
    this.timer.unref()
  }

  /** Saves the signs a last time. */
  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.save()
  }

  private isFromProxy({ headers, path, peer }: ProxiedRequest): boolean {
    if (PROXY_HEADERS.some((name) => headers.has(name))) return true
    // The platform is on the internet, so deliveries from a private address were forwarded by a
    // proxy.
    return (
      this.host !== null &&
      (headers.get('host') === this.host || (path === WEBHOOK_PATH && !isPublicAddress(peer)))
    )
  }

  private noteTrust(peer: string): void {
    const isTrusted = this.parts.isTrusted(peer)
    this.note('trust', isTrusted, peer)
    if (isTrusted) return
    const scope = isPublicAddress(peer) ? 'public' : 'private'
    if (this.warned.has(scope)) return
    // One warning for a nearby proxy, one for other clients, which may send any header.
    this.warned.add(scope)
    this.parts.log.warn(
      { address: peer },
      'X-Forwarded-For was ignored because the sender is not in TRUSTED_PROXIES. If the ' +
        'sender is your proxy, add its address; otherwise all its clients share one',
    )
  }

  private note(name: keyof ProxySigns, isGood: boolean, seen: string): void {
    const sign = this.signs[name]
    const nowMs = this.parts.clock.nowMs()
    const isFirst = (isGood ? sign.goodAtMs : sign.badAtMs) === null
    if (isGood) Object.assign(sign, { goodAtMs: nowMs, timesBad: 0 })
    else Object.assign(sign, { badAtMs: nowMs, timesBad: sign.timesBad + 1, seen })
    this.isSaved = false
    if (isFirst || (!isGood && sign.timesBad === CERTAIN_AFTER)) this.save()
  }

  private save(): void {
    if (this.isSaved) return
    this.isSaved = true
    this.parts.save(this.signs)
  }
}

const blank = (): ProxySign => ({ goodAtMs: null, badAtMs: null, timesBad: 0, seen: '' })
