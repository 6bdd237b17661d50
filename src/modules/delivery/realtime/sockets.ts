import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import {
  ConflictError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
} from '../../../lib/errors'
import type { Actor } from '../../../infra/actor'
import { ctxOf, type Ctx, type Deps } from '../../../infra/ctx'
import { movingError } from '../../../infra/frozen-organization'
import type { Metrics } from '../../../infra/metrics/metrics'
import { seesAll } from '../../inbox/contacts/sight/visibility'
import { frameText } from './frames/kind'
import { maySubscribe } from './subscriptions'
import type { AccessReview, Listeners } from './publish'
import { topicsOf } from './topics'

/** The methods of a WebSocket connection that are used here. */
export interface SocketConnection {
  send(text: string): number
  close(code: number, reason: string): void
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  getBufferedAmount(): number
}

/** State of one open socket. */
export interface Socket {
  id: string
  line: SocketConnection
  actor: Actor
  topics: Set<string>
  /** The actor whose permissions determine its topics. */
  hearsAs: Actor | null
  /** Subscribed topics: `contact:<id>`, `campaign:<id>`, `dashboard`, `board`, `webhooks`, `server`. */
  watched: Set<string>
  /** Head of the log when live events started; later events were sent live. */
  liveFrom: number
  /** Whether it receives live events. `false` during a replay. */
  isLive: boolean
  hasResumed: boolean
  /** The replay in progress. Answers that report a position wait for it. */
  replay: Promise<void> | null
  /** Called when it has received buffered data or is closed. */
  whenDrained: (() => void) | null
  /** Unsent bytes, and since when they have not decreased, epoch milliseconds. */
  unsent: { bytes: number; sinceMs: number }
  isOpen: boolean
  frames: {
    tokens: number
    refilledAtMs: number
    refusals: number[]
    unreadable: number[]
    /** Times of the latest presence frames, epoch milliseconds. */
    presence: number[]
  }
}

/** Close codes of this server; 4xxx codes are private. */
export const CLOSE = {
  unsupported: [1003, 'text frames only'],
  restart: [1012, 'the server is restarting'],
  protocol: [4400, 'too many unreadable frames'],
  expired: [4401, 'token expired'],
  ended: [4403, 'access ended'],
  slow: [4408, 'client reads too slowly'],
  moving: [4409, 'the organization moves to another server'],
  tooMany: [4429, 'too many frames'],
} as const satisfies Record<string, readonly [number, string]>

/** Time after which a socket is closed if it receives none of its buffered data, milliseconds. */
export const SLOW_MS = 5 * SECOND_MS

/** Maximum number of open sockets per API key. */
const PER_KEY = 5

const FRAMES_PER_SECOND = 20
const FRAME_BURST = 40

/**
 * Registry of all open sockets. Enforces limits per user, API key and organization, and closes
 * sockets that expire or lose access.
 */
export class Sockets implements AccessReview, Listeners {
  private readonly open = new Set<Socket>()
  private cursor: IterableIterator<Socket> | null = null
  /** Number of sockets that each sweep of the current round reviews. */
  private share = 0
  private timer: ReturnType<typeof setInterval> | null = null
  private isStopping = false
  /** Called when a socket is closed, and about every second. */
  listeners = { removed: (_socket: Socket): void => undefined, swept: (): void => undefined }

  constructor(
    private readonly deps: Deps,
    /**
     * Returns the actor of a socket with its current permissions: the same object if they are
     * unchanged. Throws if access has ended.
     */
    private readonly recheck: (actor: Actor) => Actor,
    /** Publishes events in the log that are not published yet. */
    private readonly wakeRelay: () => void,
  ) {}

  /**
   * Runs every second. Reviews permissions and expired tokens, and publishes events that a command
   * wrote beside the server.
   */
  start(): void {
    this.timer = setInterval(() => {
      this.wakeRelay()
      this.sweep()
    }, SECOND_MS)
  }

  /**
   * Checks the socket limits. Throws RateLimitedError for the limit of the user, the API key or the
   * organization, and UnavailableError for that of the server. Sockets of a key do not count for
   * its owner.
   */
  requireRoom(actor: Actor): void {
    if (this.isStopping) throw new UnavailableError('The server is shutting down.')
    if (actor.isOrganizationMoving === true) throw movingError()
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

  /** Metrics of frames and sockets. */
  get metrics(): Metrics {
    return this.deps.metrics
  }

  /** Returns the number of open sockets, with and without `contacts:read_all`. */
  count(): { all: number; own: number } {
    const all = [...this.open].filter(({ actor }) => seesAll(actor)).length
    return { all, own: this.open.size - all }
  }

  /** Adds a socket. It receives no events until `listen`. */
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
      frames: {
        tokens: FRAME_BURST,
        refilledAtMs: nowMs,
        refusals: [],
        unreadable: [],
        presence: [],
      },
    }
    this.open.add(socket)
    return socket
  }

  /** Starts live events of a socket after position `head`. */
  listen(socket: Socket, head: number): void {
    socket.liveFrom = head
    socket.isLive = true
    this.hear(socket)
  }

  /** Sets the subscribed topics of a socket. */
  watch(socket: Socket, topics: Iterable<string>): void {
    socket.watched = new Set(topics)
    if (socket.isLive) this.hear(socket)
  }

  /** Pauses live events of a socket until `listen`. */
  hush(socket: Socket): void {
    socket.isLive = false
    this.setTopics(socket, [])
  }

  /** Subscribes a socket to exactly the topics its actor may receive. */
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

  /** Returns the context of a socket's user. */
  scopeOf(socket: Socket): Ctx {
    return ctxOf(this.deps, socket.actor)
  }

  /**
   * Returns the context of a socket's user with current permissions. Throws UnauthorizedError if
   * access has ended.
   */
  currentScopeOf(socket: Socket): Ctx {
    return ctxOf(this.deps, this.recheck(socket.actor))
  }

  /** Reviews the permissions of a socket now, and closes it if its access has ended. */
  review(socket: Socket): void {
    this.check(socket)
  }

  /** Removes a closed socket. */
  remove(socket: Socket): void {
    socket.isOpen = false
    this.open.delete(socket)
    socket.whenDrained?.()
    this.listeners.removed(socket)
  }

  /** Returns the users and API keys with open sockets in an organization, each once. */
  actorsIn(organizationId: string): Actor[] {
    const actors = new Map<string, Actor>()
    for (const { actor } of this.open)
      if (actor.organizationId === organizationId)
        actors.set(actor.apiKeyId ?? actor.userId ?? '', actor)
    return [...actors.values()]
  }

  /** Reviews the sockets of users whose permissions have changed. */
  ofUsers(organizationId: string, userIds: string[]): void {
    const users = new Set(userIds)
    for (const socket of this.open)
      if (socket.actor.organizationId === organizationId && users.has(socket.actor.userId ?? ''))
        this.check(socket)
  }

  /** Reviews the sockets that watch a contact someone can no longer see. */
  ofWatchers(organizationId: string, contactId: string): void {
    for (const socket of this.open)
      if (
        socket.actor.organizationId === organizationId &&
        socket.watched.has(`contact:${contactId}`)
      )
        this.endLostWatches(socket)
  }

  /** Unsubscribes a socket from topics it may no longer watch, and notifies it. */
  private endLostWatches(socket: Socket): void {
    const scope = this.scopeOf(socket)
    const left = [...socket.watched].filter((topic) => maySubscribe(scope, topic))
    if (left.length === socket.watched.size) return
    this.watch(socket, left)
    socket.line.send(
      frameText(
        { type: 'unsubscribed', payload: { topics: left } },
        { seq: null, atMs: this.deps.clock.nowMs() },
      ),
    )
  }

  /** Closes a socket. */
  close(socket: Socket, [code, reason]: readonly [number, string]): void {
    if (!socket.isOpen) return
    this.remove(socket)
    socket.line.close(code, reason)
  }

  /**
   * Counts a client frame. Returns `false` above the rate limit; three such frames within a minute
   * close the socket.
   */
  admitFrame(socket: Socket): boolean {
    const { frames } = socket
    const nowMs = this.deps.clock.nowMs()
    // A clock that was set back removes no tokens.
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

  /** Counts an unreadable or unknown frame; ten within a minute close the socket. */
  countUnreadable(socket: Socket): void {
    const nowMs = this.deps.clock.nowMs()
    socket.frames.unreadable = [
      ...socket.frames.unreadable.filter((atMs) => nowMs - atMs < MINUTE_MS),
      nowMs,
    ]
    if (socket.frames.unreadable.length >= 10) this.close(socket, CLOSE.protocol)
  }

  /**
   * Reviews half of the sockets, in turn. Closes sockets whose token or access has ended, and
   * updates the topics of the others.
   */
  sweep(): void {
    this.listeners.swept()
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
      socket.actor = this.recheck(socket.actor)
      if (socket.actor.isOrganizationMoving === true) return this.close(socket, CLOSE.moving)
      if (socket.watched.size > 0) this.endLostWatches(socket)
      if (socket.isLive && socket.hearsAs !== socket.actor) this.hear(socket)
    } catch (error) {
      if (error instanceof UnauthorizedError)
        this.close(socket, error.code === 'session_ended' ? CLOSE.expired : CLOSE.ended)
      else if (error instanceof NotFoundError) this.close(socket, CLOSE.ended)
      else if (error instanceof ConflictError || error instanceof UnavailableError)
        this.close(socket, CLOSE.moving)
      else
        this.deps.log.error(
          { error, organization_id: socket.actor.organizationId },
          'permissions of a WebSocket connection not read',
        )
    }
    return undefined
  }

  /** Whether a socket has received none of its buffered data for too long. */
  private isStuck(socket: Socket): boolean {
    const nowMs = this.deps.clock.nowMs()
    const bytes = socket.line.getBufferedAmount()
    const isMoving = bytes === 0 || bytes < socket.unsent.bytes
    socket.unsent = { bytes, sinceMs: isMoving ? nowMs : socket.unsent.sinceMs }
    return nowMs - socket.unsent.sinceMs >= SLOW_MS
  }

  /** Closes every socket because the server stops. Clients reconnect and resume. */
  stop(): void {
    this.isStopping = true
    if (this.timer) clearInterval(this.timer)
    for (const socket of this.open) this.close(socket, CLOSE.restart)
  }
}
