import { MINUTE_MS, SECOND_MS } from '../../lib/clock'
import {
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
} from '../../lib/errors'
import { ctxOf, type Actor, type Ctx, type Deps } from '../../infra/ctx'
import type { Metrics } from '../../infra/metrics/metrics'
import { seesAll } from '../contacts/visibility'
import { frameText } from './frames/kind'
import { mayWatch } from './subscriptions'
import { topicsOf, type AccessReview } from './publish'

/** The part of a WebSocket connection that is used here. */
export interface SocketConnection {
  send(text: string): number
  close(code: number, reason: string): void
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  getBufferedAmount(): number
}

/** One open socket: whose it is, until when, and what it has asked so far. */
export interface Socket {
  id: string
  line: SocketConnection
  actor: Actor
  topics: Set<string>
  /** The actor whose rights its topics follow from. */
  hearsAs: Actor | null
  /** What it watches: `contact:<id>`, `campaign:<id>`. */
  watched: Set<string>
  /** Head of the log when live events began; what came later was sent live. */
  liveFrom: number
  /** Whether it hears live events; not while a replay runs. */
  isLive: boolean
  hasResumed: boolean
  /** The replay under way; answers that tell how far the client has come wait for it. */
  replay: Promise<void> | null
  /** Called when it has taken something of what waits for it, or is closed. */
  whenDrained: (() => void) | null
  /** What it has not taken yet, bytes, and since when it has been no less, epoch milliseconds. */
  unsent: { bytes: number; sinceMs: number }
  isOpen: boolean
  frames: { tokens: number; refilledAtMs: number; refusals: number[]; unreadable: number[] }
}

/** Close codes of this server; 4xxx are our own. */
export const CLOSE = {
  unsupported: [1003, 'text frames only'],
  restart: [1012, 'the server is restarting'],
  protocol: [4400, 'too many unreadable frames'],
  expired: [4401, 'token expired'],
  ended: [4403, 'access ended'],
  slow: [4408, 'client reads too slowly'],
  tooMany: [4429, 'too many frames'],
} as const satisfies Record<string, readonly [number, string]>

/** A socket that takes nothing of what waits for it for so long is closed, milliseconds. */
export const SLOW_MS = 5 * SECOND_MS

/** Sockets that one API key may have open. */
const PER_KEY = 5

const FRAMES_PER_SECOND = 20
const FRAME_BURST = 40

/**
 * All open sockets: how many each user and organization has, when they end, and whether they still
 * may be open.
 */
export class Sockets implements AccessReview {
  private readonly open = new Set<Socket>()
  private cursor: IterableIterator<Socket> | null = null
  /** How many sockets each sweep of the present round looks at. */
  private share = 0
  private timer: ReturnType<typeof setInterval> | null = null
  private isStopping = false

  constructor(
    private readonly deps: Deps,
    /**
     * The actor of a socket with the rights it has now, the same object as long as they are the
     * same; throws when they have ended.
     */
    private readonly judge: (actor: Actor) => Actor,
    /** Looks for events in the log that nobody has announced. */
    private readonly wakeRelay: () => void,
  ) {}

  /**
   * Every second: looks for ended rights and expired tokens, and for events that a command wrote
   * beside the server.
   */
  start(): void {
    this.timer = setInterval(() => {
      this.wakeRelay()
      this.sweep()
    }, SECOND_MS)
  }

  /**
   * Refuses one socket too many. Throws RateLimitedError for the limit of the user, the API key or
   * the organization, UnavailableError for the server's. Sockets of a key do not count as its
   * owner's.
   */
  requireRoom(actor: Actor): void {
    if (this.isStopping) throw new UnavailableError('The server is shutting down.')
    const { perUser, perOrganization, perProcess } = this.deps.settings.sockets
    let [ofOrganization, ofCaller] = [0, 0]
    for (const { actor: other } of this.open) {
      if (other.organizationId !== actor.organizationId) continue
      ofOrganization += 1
      if (other.userId === actor.userId && other.apiKeyId === actor.apiKeyId) ofCaller += 1
    }
    if (ofCaller >= (actor.apiKeyId === null ? perUser : PER_KEY))
      throw new RateLimitedError(
        'You have reached the limit of open WebSocket connections. Close one and try again.',
        60,
        {
          code: 'too_many_sockets',
        },
      )
    if (ofOrganization >= perOrganization)
      throw new RateLimitedError(
        'The organization has reached the limit of open WebSocket connections.',
        60,
        {
          code: 'too_many_sockets',
        },
      )
    if (this.open.size >= perProcess)
      throw new UnavailableError(
        'The server has reached the limit of open WebSocket connections.',
        60,
      )
  }

  /** Where frames and sockets are counted. */
  get metrics(): Metrics {
    return this.deps.metrics
  }

  /** How many sockets are open, of those who see every contact and of those who see their own. */
  count(): { all: number; own: number } {
    const all = [...this.open].filter(({ actor }) => seesAll(actor)).length
    return { all, own: this.open.size - all }
  }

  /** Takes a socket in. It hears nothing until `listen`. */
  add(line: SocketConnection, actor: Actor): Socket {
    const nowMs = this.deps.clock.nowMs()
    const socket: Socket = {
      id: this.deps.ids.next(),
      line,
      actor,
      topics: new Set(),
      hearsAs: null,
      watched: new Set(),
      liveFrom: 0,
      isLive: false,
      hasResumed: false,
      replay: null,
      whenDrained: null,
      unsent: { bytes: 0, sinceMs: nowMs },
      isOpen: true,
      frames: { tokens: FRAME_BURST, refilledAtMs: nowMs, refusals: [], unreadable: [] },
    }
    this.open.add(socket)
    return socket
  }

  /** Lets a socket hear live events from `head` on. */
  listen(socket: Socket, head: number): void {
    socket.liveFrom = head
    socket.isLive = true
    this.hear(socket)
  }

  /** Lets a socket watch exactly these topics. */
  watch(socket: Socket, topics: Iterable<string>): void {
    socket.watched = new Set(topics)
    if (socket.isLive) this.hear(socket)
  }

  /** Keeps live events from a socket until it listens again. */
  hush(socket: Socket): void {
    socket.isLive = false
    this.setTopics(socket, [])
  }

  /** Lets a socket listen to what its actor may hear, and to nothing else. */
  private hear(socket: Socket): void {
    socket.hearsAs = socket.actor
    this.setTopics(socket, topicsOf(this.scopeOf(socket), socket.watched))
  }

  private setTopics(socket: Socket, topics: string[]): void {
    const wanted = new Set(topics)
    for (const topic of socket.topics) if (!wanted.has(topic)) socket.line.unsubscribe(topic)
    for (const topic of wanted) if (!socket.topics.has(topic)) socket.line.subscribe(topic)
    socket.topics = wanted
  }

  /** The scope a socket's user works in. */
  scopeOf(socket: Socket): Ctx {
    return ctxOf(this.deps, socket.actor)
  }

  /** Forgets a socket that was closed. */
  remove(socket: Socket): void {
    socket.isOpen = false
    this.open.delete(socket)
    socket.whenDrained?.()
  }

  /** Looks at the sockets of users whose rights have changed. */
  ofUsers(organizationId: string, userIds: string[]): void {
    const users = new Set(userIds)
    for (const socket of this.open)
      if (socket.actor.organizationId === organizationId && users.has(socket.actor.userId ?? ''))
        this.check(socket)
  }

  /** Looks at the sockets that watch a contact somebody may not see any more. */
  ofWatchers(organizationId: string, contactId: string): void {
    for (const socket of this.open)
      if (
        socket.actor.organizationId === organizationId &&
        socket.watched.has(`contact:${contactId}`)
      )
        this.endLostWatches(socket)
  }

  /** Ends what a socket may not watch any more, and tells it. */
  private endLostWatches(socket: Socket): void {
    const scope = this.scopeOf(socket)
    const left = [...socket.watched].filter((topic) => mayWatch(scope, topic))
    if (left.length === socket.watched.size) return
    this.watch(socket, left)
    socket.line.send(
      frameText(
        { type: 'unsubscribed', payload: { topics: left } },
        { seq: null, atMs: this.deps.clock.nowMs() },
      ),
    )
  }

  /** Closes a socket from our side. */
  close(socket: Socket, [code, reason]: readonly [number, string]): void {
    if (!socket.isOpen) return
    this.remove(socket)
    socket.line.close(code, reason)
  }

  /**
   * Counts a frame of the client; `false` when it came too fast. Three such within a minute close
   * the socket.
   */
  admitFrame(socket: Socket): boolean {
    const { frames } = socket
    const nowMs = this.deps.clock.nowMs()
    // A clock that was put back takes nothing away.
    const sinceMs = Math.max(0, nowMs - frames.refilledAtMs)
    frames.tokens = Math.min(FRAME_BURST, frames.tokens + (sinceMs / SECOND_MS) * FRAMES_PER_SECOND)
    frames.refilledAtMs = nowMs
    if (frames.tokens >= 1) {
      frames.tokens -= 1
      return true
    }
    frames.refusals = [...frames.refusals.filter((atMs) => nowMs - atMs < MINUTE_MS), nowMs]
    if (frames.refusals.length >= 3) this.close(socket, CLOSE.tooMany)
    return false
  }

  /** Counts a frame nobody understands; ten within a minute close the socket. */
  countUnreadable(socket: Socket): void {
    const nowMs = this.deps.clock.nowMs()
    socket.frames.unreadable = [
      ...socket.frames.unreadable.filter((atMs) => nowMs - atMs < MINUTE_MS),
      nowMs,
    ]
    if (socket.frames.unreadable.length >= 10) this.close(socket, CLOSE.protocol)
  }

  /**
   * Looks at half of the sockets, in turn: closes those whose token or rights have ended, and lets
   * the others hear what they may hear now.
   */
  sweep(): void {
    if (this.cursor === null) this.share = Math.max(100, Math.ceil(this.open.size / 2))
    const cursor = (this.cursor ??= this.open.values())
    for (let looked = 0; looked < this.share; looked += 1) {
      const next: IteratorResult<Socket> = cursor.next()
      if (next.done) {
        this.cursor = null
        return
      }
      this.check(next.value)
    }
  }

  private check(socket: Socket): void {
    if ((socket.actor.expiresAtMs ?? Infinity) <= this.deps.clock.nowMs())
      return this.close(socket, socket.actor.apiKeyId === null ? CLOSE.expired : CLOSE.ended)
    if (this.isStuck(socket)) return this.close(socket, CLOSE.slow)
    try {
      socket.actor = this.judge(socket.actor)
      if (socket.watched.size > 0) this.endLostWatches(socket)
      if (socket.isLive && socket.hearsAs !== socket.actor) this.hear(socket)
    } catch (error) {
      if (error instanceof UnauthorizedError)
        this.close(socket, error.code === 'session_ended' ? CLOSE.expired : CLOSE.ended)
      else if (error instanceof NotFoundError) this.close(socket, CLOSE.ended)
      else
        this.deps.log.error(
          { error, organization_id: socket.actor.organizationId },
          'permissions of a WebSocket connection not read',
        )
    }
    return undefined
  }

  /** Whether a socket has taken nothing of what waits for it for too long. */
  private isStuck(socket: Socket): boolean {
    const nowMs = this.deps.clock.nowMs()
    const bytes = socket.line.getBufferedAmount()
    const isMoving = bytes === 0 || bytes < socket.unsent.bytes
    socket.unsent = { bytes, sinceMs: isMoving ? nowMs : socket.unsent.sinceMs }
    return nowMs - socket.unsent.sinceMs >= SLOW_MS
  }

  /** Closes every socket because the server stops; clients come back and resume. */
  stop(): void {
    this.isStopping = true
    if (this.timer) clearInterval(this.timer)
    for (const socket of this.open) this.close(socket, CLOSE.restart)
  }
}
