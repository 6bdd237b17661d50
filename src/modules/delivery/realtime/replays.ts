import type { LoggedEvent } from '../../../infra/outbox/events'
import { eventsAfter, logBounds, type Relay } from '../../../infra/outbox/relay'
import { CLOSE, SLOW_MS, type Socket, type Sockets } from './sockets'
import { renderFor, type PastEvent } from './render-past-event'
import { afterYield, yieldEvery } from '../../../infra/event-loop'

/** Maximum number of organizations replayed at the same time. */
const ROUNDS_AT_ONCE = 2

/** Maximum number of sockets in one round. Others of the organization wait for the next round. */
const SOCKETS_OF_ROUND = 100

/** Events read in one query. */
const PAGE = 50

/** How long a round works before others do, milliseconds. */
const WORK_MS = 4

/** Unsent bytes of a socket at which its replay pauses. */
const HIGH_WATER_BYTES = 128 * 1024

/** The replay of one socket: the missed events and its progress. */
export interface Replay {
  socket: Socket
  /** Number of the last event that was sent, or skipped because the socket may not receive it. */
  after: number
  /** Number of events sent. */
  count: number
  /**
   * Whether the socket has not received an event in this replay. It may have been live before it
   * asked for the replay.
   */
  isMissed: (seq: number) => boolean
  /**
   * Called once, in the same event loop turn in which the replay completes or the log turns out to
   * be truncated.
   */
  end: (how: 'complete' | 'too_old') => void
}

/** A replay and the promise of its caller. */
interface Waiting {
  replay: Replay
  settled: PromiseWithResolvers<void>
}

/**
 * Replays missed events to sockets. Sockets of one organization share a round: each event is read
 * once and rendered once per masking. At most two rounds run at a time. A slow socket leaves its round and joins a later one.
 */
export class Replays {
  /** Waiting replays by organization, longest waiting first. */
  private readonly waiting = new Map<string, Waiting[]>()
  private readonly running = new Set<string>()

  constructor(private readonly parts: { sockets: Sockets; relay: Relay }) {}

  /** Replays missed events to a socket. Resolves when all are sent or the socket is closed. */
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
    this.work(round, organizationId).then(end, (error: unknown) => {
      round.fail(error)
      end()
    })
  }

  private async work(round: Round, organizationId: string): Promise<void> {
    const yieldIfDue = yieldEvery(WORK_MS)
    for (let isDone = false; !isDone; await yieldIfDue()) {
      if (round.isAtPage) round.add(this.take(organizationId, SOCKETS_OF_ROUND - round.size))
      isDone = round.step()
    }
  }

  private take(organizationId: string, most: number): Waiting[] {
    const queue = this.waiting.get(organizationId) ?? []
    const taken = queue.splice(0, most)
    // The remaining replays of this organization queue behind other organizations.
    this.waiting.delete(organizationId)
    if (queue.length > 0) this.waiting.set(organizationId, queue)
    return taken
  }

  /**
   * Resumes the replay of a slow socket after it has received most of the data. Closes a socket
   * that receives nothing for too long.
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

/** A round: sockets of one organization that receive the same part of the log. */
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

  /** Whether the next step reads a page, so that sockets may join. */
  get isAtPage(): boolean {
    return this.page.length === 0
  }

  add(members: Waiting[]): void {
    this.members.push(...members)
  }

  /** Sends one event to all members. Returns whether no member is left. */
  step(): boolean {
    this.leave(({ socket }) => !socket.isOpen)
    if (this.members.length === 0) return true
    if (this.page.length === 0) this.page = this.nextPage()
    const event = this.page.shift()
    if (event) this.send({ event, texts: new Map(), seers: null })
    return this.members.length === 0
  }

  /** Fails the replays of all members. Their callers close the sockets. */
  fail(error: unknown): void {
    for (const { settled } of this.members) settled.reject(error)
    this.members = []
  }

  /** Removes members whose replay is complete. */
  private leave(isOver: (replay: Replay) => boolean): void {
    const over = this.members.filter(({ replay }) => isOver(replay))
    if (over.length === 0) return
    this.members = this.members.filter((one) => !over.includes(one))
    for (const { settled } of over) settled.resolve()
  }

  /**
   * Returns the next events that a member has not received. If there are none, the replay of the
   * first member is complete.
   */
  private nextPage(): LoggedEvent[] {
    const { relay, sockets } = this.parts
    const [first] = this.members
    if (!first) return []
    const scope = sockets.scopeOf(first.replay.socket)
    const { oldestSeq } = logBounds(scope, this.at.organizationId)
    // Pruning may delete old events while the log is read.
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
    // Committed but unpublished events must not reach a socket twice, so live events resume in the
    // same turn in which nothing is left to replay.
    relay.drain()
    const late = read()
    // One member at a time, because resuming live events takes part of a millisecond each.
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
