import { AppError } from '../lib/errors'
import { findRequestFacts, type Line, type RequestFacts } from './request-facts'

/**
 * How long requests may take, milliseconds. Lines on which nothing moves are the listener's to end
 * (`src/server.ts`).
 */
export interface TimeLimits {
  /** Until the body is there: a byte now and then would keep a request open for ever. */
  bodyMs: number
  /**
   * What a slow line carries, bytes in a millisecond: a form has what its largest file takes on one
   * beside `bodyMs`.
   */
  slowLine: number
  /** Until a request that only reads is answered, from its arrival on. */
  readMs: number
  /** Until one that may change something is answered, from the moment its body was there. */
  changeMs: number
  /**
   * Until the client has taken all of a file, from the answer on, beside what its bytes take on a
   * slow phone.
   */
  fileMs: number
  /** What a slow phone takes, bytes in a millisecond. */
  slowPhone: number
}

/**
 * A slow line carries a megabit a second. The runtime cuts the line of a reading request after a
 * silent minute; a change may wait for the longest call to the platform, which has five minutes. A
 * slow phone takes 16 KiB a second, a tenth of a bad mobile line: a file of 100 MiB may take it an
 * hour and three quarters.
 */
export const TIME_LIMITS: TimeLimits = {
  bodyMs: 30_000,
  slowLine: 125,
  readMs: 50_000,
  changeMs: 360_000,
  fileMs: 60_000,
  slowPhone: 16,
}

const TICK_MS = 1_000

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request that is not answered yet. */
interface Unanswered {
  method: string
  facts: RequestFacts
  /** How long it has been worked on, milliseconds. */
  spentMs: number
  giveUp: () => void
}

/** An answer that goes from the disk to its client, or is made while it is sent. */
interface Departing {
  request: Request
  line: Line
  /** Its bytes so far. */
  sent: () => number
  spentMs: number
  tell: (bytes: number) => void
}

/**
 * Idle timeout of a response that is past its time limit, seconds. The client must take more bytes
 * within it.
 */
const HURRY_S = 1

/** Sees to it that every request is answered in time, whatever its route waits for. */
export class Deadlines {
  private readonly unanswered = new Set<Unanswered>()
  private readonly departing = new Set<Departing>()
  private timer: Timer | null = null
  private lookedMs = 0

  constructor(readonly limits: TimeLimits) {}

  /**
   * The answer to a request, or what `late` makes of it when that does not come in time. What the
   * route does goes on; what comes of it is not sent any more. A file it is answered with has a
   * time of its own; `slow` hears of it when its client has not taken it by then.
   */
  within<T>(request: Request, answer: Promise<T>, { late, slow }: Outcomes<T>): Promise<T> {
    const facts = findRequestFacts(request)
    if (!facts) return answer
    const { method } = request
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const one: Unanswered = {
      method,
      facts,
      spentMs: 0,
      giveUp: () => resolve(late(facts, tookTooLong(method))),
    }
    this.unanswered.add(one)
    this.begin()
    const isMade = (): void => {
      this.unanswered.delete(one)
      const { line, sent } = facts
      if (line && sent) {
        this.departing.add({ request, line, sent, spentMs: 0, tell: (bytes) => slow(facts, bytes) })
        this.begin()
      }
    }
    answer.then(
      (made) => {
        resolve(made)
        isMade()
      },
      (error: unknown) => {
        reject(error)
        isMade()
      },
    )
    return promise
  }

  private begin(): void {
    if (this.timer !== null) return
    this.lookedMs = performance.now()
    this.timer = setInterval(() => this.look(), TICK_MS).unref()
  }

  /** Time in which the process stood still is nobody's fault and counts as one tick. */
  private look(): void {
    const nowMs = performance.now()
    const passedMs = Math.min(nowMs - this.lookedMs, 2 * TICK_MS)
    this.lookedMs = nowMs
    for (const one of this.unanswered) {
      if (one.facts.isReading) continue // its body has a limit of its own
      one.spentMs += passedMs
      if (one.spentMs < (READING.has(one.method) ? this.limits.readMs : this.limits.changeMs))
        continue
      this.unanswered.delete(one)
      one.giveUp()
    }
    this.lookAfterFiles(passedMs)
    if (this.unanswered.size + this.departing.size > 0 || this.timer === null) return
    clearInterval(this.timer)
    this.timer = null
  }

  /**
   * The runtime ends no answer that has begun; it closes a line on which nothing moved for some
   * time, and that is made short.
   */
  private lookAfterFiles(passedMs: number): void {
    const { fileMs, slowPhone } = this.limits
    for (const one of this.departing) {
      const isTaken = one.line.requestIP(one.request) === null
      one.spentMs += passedMs
      const bytes = one.sent()
      if (!isTaken && one.spentMs < fileMs + bytes / slowPhone) continue
      this.departing.delete(one)
      if (isTaken) continue
      one.line.timeout(one.request, HURRY_S)
      one.tell(bytes)
    }
  }
}

/**
 * What follows when a request takes too long: what it is answered, and what is to be known of a
 * client that takes a file too slowly.
 */
interface Outcomes<T> {
  late: (facts: RequestFacts, error: AppError) => T
  slow: (facts: RequestFacts, bytes: number) => void
}

/** The refusal of a request whose route took too long. */
const tookTooLong = (method: string): AppError =>
  new AppError(
    503,
    READING.has(method)
      ? 'The request took too long. Request less data or try again later.'
      : 'The request took too long and may still take effect. Check the result, or retry with ' +
          'the same `Idempotency-Key`.',
    { code: 'took_too_long', headers: { 'retry-after': '30' } },
  )
