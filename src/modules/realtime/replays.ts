import type { LoggedEvent } from '../../infra/outbox/events'
import { eventsAfter, logBounds, type Relay } from '../../infra/outbox/relay'
import { CLOSE, SLOW_MS, type Socket, type Sockets } from './sockets'
import { renderFor, type PastEvent } from './publish'
import { afterYield, inSlices, type EventLoop } from '../../infra/event-loop'

/** Organizations whose sockets are replayed to at a time. */
const ROUNDS_AT_ONCE = 2

/** Sockets that share a round; the others of their organization wait for the next one. */
const SOCKETS_OF_ROUND = 100

/** Events read at once. */
const PAGE = 50

/** With this much unsent a replay waits for the socket, bytes. */
const HIGH_WATER_BYTES = 128 * 1024

/** What one socket missed, and how far it has been sent. */
export interface Replay {
  socket: Socket
  /**
   * The number of the newest event that was sent, or left out because the socket may not hear of
   * it.
   */
  after: number
  /** How many events were sent. */
  count: number
  /**
   * Whether the socket has not heard an event yet: it may have been live for a while before it
   * asked.
   */
  isMissed: (seq: number) => boolean
  /**
   * Called once, in the turn in which nothing more is to be sent, or in which the log was found to
   * be cut off.
   */
  end: (how: 'complete' | 'too_old') => void
}

/** A replay with what its caller waits for. */
interface Waiting {
  replay: Replay
  settled: PromiseWithResolvers<void>
}

/**
 * Sends sockets what they missed. Sockets of one organization share a round: each event is read
 * once, rendered once per way of showing it, and sent at once. Two rounds at most run at a time, in
 * slices of a few milliseconds. A socket that does not take what was sent leaves its round and
 * joins a later one.
 */
export class Replays {
  /** By organization, those that wait longest first. */
  private readonly waiting = new Map<string, Waiting[]>()
  private readonly running = new Set<string>()

  constructor(private readonly parts: { sockets: Sockets; relay: Relay; eventLoop: EventLoop }) {}

  /** Sends a socket what it missed. Resolves when all was sent or the socket is closed. */
  run(replay: Replay): Promise<void> {
    const settled = Promise.withResolvers<void>()
    this.join({ replay, settled })
    return settled.promise
  }

  private join(one: Waiting): void {
    const { organizationId } = one.replay.socket.actor
    const queue = this.waiting.get(organizationId)
    if (queue) queue.push(one)
    else this.waiting.set(organizationId, [one])
    afterYield(() => this.startRounds())
  }

  private startRounds(): void {
    for (const organizationId of this.waiting.keys()) {
      if (this.running.size >= ROUNDS_AT_ONCE) return
      if (!this.running.has(organizationId)) this.runRound(organizationId)
    }
  }

  private runRound(organizationId: string): void {
    this.running.add(organizationId)
    const park = (one: Waiting): void => {
      this.park(one).catch(one.settled.reject)
    }
    const round = new Round(this.parts, { organizationId, park })
    const end = (): void => {
      this.running.delete(organizationId)
      this.startRounds()
    }
    inSlices({ ...this.parts, organizationId }, () => {
      if (round.isAtPage) round.add(this.take(organizationId, SOCKETS_OF_ROUND - round.size))
      return round.step()
    }).then(end, (error: unknown) => {
      round.fail(error)
      end()
    })
  }

  private take(organizationId: string, most: number): Waiting[] {
    const queue = this.waiting.get(organizationId) ?? []
    const taken = queue.splice(0, most)
    // Who still waits moves behind other organizations.
    this.waiting.delete(organizationId)
    if (queue.length > 0) this.waiting.set(organizationId, queue)
    return taken
  }

  /**
   * Lets a socket come back when it has taken most of what was sent; one that takes nothing for too
   * long is closed.
   */
  private async park(one: Waiting): Promise<void> {
    const { socket } = one.replay
    const { clock } = this.parts.sockets.scopeOf(socket)
    while (socket.isOpen && socket.line.getBufferedAmount() > HIGH_WATER_BYTES) {
      const { promise, resolve } = Promise.withResolvers<'moved' | 'stuck'>()
      const cancel = clock.after(SLOW_MS, () => resolve('stuck'))
      socket.whenDrained = () => resolve('moved')
      const outcome = await promise
      cancel()
      socket.whenDrained = null
      if (outcome === 'stuck') this.parts.sockets.close(socket, CLOSE.slow)
    }
    this.join(one)
  }
}

/** Sockets of one organization that are sent the same part of the log. */
class Round {
  private members: Waiting[] = []
  private page: LoggedEvent[] = []

  constructor(
    private readonly parts: { sockets: Sockets; relay: Relay },
    private readonly at: { organizationId: string; park: (one: Waiting) => void },
  ) {}

  get size(): number {
    return this.members.length
  }

  /** Whether the next step reads a page: sockets may join. */
  get isAtPage(): boolean {
    return this.page.length === 0
  }

  add(members: Waiting[]): void {
    this.members.push(...members)
  }

  /** Sends one event to all of them. Returns whether nobody is left. */
  step(): boolean {
    this.leave(({ socket }) => !socket.isOpen)
    if (this.members.length === 0) return true
    if (this.page.length === 0) this.page = this.nextPage()
    const event = this.page.shift()
    if (event) this.send({ event, texts: new Map(), seers: null })
    return this.members.length === 0
  }

  /** Ends the replays of all members: their sockets are closed by those who wait for them. */
  fail(error: unknown): void {
    for (const { settled } of this.members) settled.reject(error)
    this.members = []
  }

  /** Lets members go whose replay is over. */
  private leave(isOver: (replay: Replay) => boolean): void {
    const over = this.members.filter(({ replay }) => isOver(replay))
    if (over.length === 0) return
    this.members = this.members.filter((one) => !over.includes(one))
    for (const { settled } of over) settled.resolve()
  }

  /**
   * The next events that somebody has not been sent; without any the replay of the first member is
   * complete.
   */
  private nextPage(): LoggedEvent[] {
    const { relay, sockets } = this.parts
    const [first] = this.members
    if (!first) return []
    const scope = sockets.scopeOf(first.replay.socket)
    const { oldestSeq } = logBounds(scope, this.at.organizationId)
    // The log goes on being cut off at its old end while it is read.
    this.leave((replay) => {
      const isCutOff = replay.after + 1 < oldestSeq
      if (isCutOff) replay.end('too_old')
      return isCutOff
    })
    if (this.members.length === 0) return []
    const after = Math.min(...this.members.map(({ replay }) => replay.after))
    const read = (): LoggedEvent[] =>
      eventsAfter(scope, this.at.organizationId, { after, limit: PAGE })
    const page = read()
    if (page.length > 0) return page
    // What was committed but not passed on yet must not reach a socket twice: the turn that finds
    // nothing more takes live events up again.
    relay.drain()
    const late = read()
    // One at a time: to take live events up again costs a part of a millisecond each.
    if (late.length === 0) {
      first.replay.end('complete')
      this.leave((replay) => replay === first.replay)
    }
    return late
  }

  private send(past: PastEvent): void {
    const { seq } = past.event
    for (const one of this.members) {
      const { replay } = one
      if (replay.after >= seq) continue
      replay.after = seq
      const text = replay.isMissed(seq)
        ? renderFor(this.parts.sockets.scopeOf(replay.socket), past)
        : null
      if (text === null) continue
      replay.socket.line.send(text)
      replay.count += 1
      this.parts.sockets.metrics.wsReplayed.inc(1)
    }
    const slow = this.members.filter(
      ({ replay }) =>
        replay.socket.isOpen && replay.socket.line.getBufferedAmount() > HIGH_WATER_BYTES,
    )
    if (slow.length === 0) return
    this.members = this.members.filter((one) => !slow.includes(one))
    for (const one of slow) this.at.park(one)
  }
}
