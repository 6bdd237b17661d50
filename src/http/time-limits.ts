import { AppError } from '../lib/errors'
import type { OpenRequests } from '../infra/open-requests'
import { isPlatformPath } from './platform-paths'
import { findRequestFacts, type ServerConnection, type RequestFacts } from './request-facts'

/**
 * Time limits of requests, milliseconds. Idle connections are closed by the listener
 * (`src/listen.ts`).
 */
export interface TimeLimits {
  /** Until the body has arrived. Otherwise a byte at a time could keep a request open forever. */
  bodyMs: number
  /**
   * Bandwidth of a slow connection, bytes per millisecond. A form gets the time that its largest
   * file takes on one, in addition to `bodyMs`.
   */
  slowConnection: number
  /** Until a request that only reads is answered, from its arrival on. */
  readMs: number
  /** Until a request that may change data is answered, from the arrival of its body. */
  changeMs: number
  /**
   * Until the client has read all of a file, in addition to the time its bytes take on a slow
   * phone.
   */
  fileMs: number
  /** Bandwidth of a slow phone, bytes per millisecond. */
  slowPhone: number
}

/**
 * A slow connection has a megabit per second. The runtime closes the connection of a read after an
 * idle minute; a change may wait for the longest platform call, which has five minutes. A slow
 * phone reads 16 KiB per second, a tenth of a bad mobile connection, so 100 MiB may take an hour
 * and three quarters.
 */
export const TIME_LIMITS: TimeLimits = {
  bodyMs: 30_000,
  slowConnection: 125,
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
  /** Time spent on it, milliseconds. */
  spentMs: number
  giveUp: () => void
}

/** A response that is streamed from the disk or generated while it is sent. */
interface FileResponse {
  request: Request
  line: ServerConnection
  /** Its bytes so far. */
  sent: () => number
  spentMs: number
  tell: (bytes: number) => void
}

/**
 * Idle timeout of a response that is past its time limit, seconds. The client must take more bytes
 * within it.
 */
const LATE_IDLE_S = 1

/** Ensures that every request is answered in time. */
export class RequestDeadlines implements OpenRequests {
  private readonly unanswered = new Set<Unanswered>()
  private readonly departing = new Set<FileResponse>()
  private timer: Timer | null = null
  private lookedMs = 0

  constructor(readonly limits: TimeLimits) {}

  /**
   * Resolves with the response, or with what `late` returns if it does not come in time. The
   * route's work continues, but its response is not sent. A streamed file has its own limit; `slow`
   * is called if its client has not read it by then.
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

  hasChangeOf(organizationId: string, beforeMs: number): boolean {
    for (const { method, facts } of this.unanswered)
      if (
        !READING.has(method) &&
        facts.startedMs < beforeMs &&
        !isPlatformPath(facts.path) &&
        (facts.actor === null || facts.actor.organizationId === organizationId)
      )
        return true
    return false
  }

  private begin(): void {
    if (this.timer !== null) return
    this.lookedMs = performance.now()
    this.timer = setInterval(() => this.look(), TICK_MS).unref()
  }

  /** Time in which the process was suspended counts as one tick. */
  private look(): void {
    const nowMs = performance.now()
    const passedMs = Math.min(nowMs - this.lookedMs, 2 * TICK_MS)
    this.lookedMs = nowMs
    for (const one of this.unanswered) {
      if (one.facts.isReading) continue // its body has its own limit
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
   * The runtime cannot end a response that has begun. It closes idle connections, so the idle
   * timeout is set to the minimum.
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
      one.line.timeout(one.request, LATE_IDLE_S)
      one.tell(bytes)
    }
  }
}

/**
 * The handling of a request that takes too long: its response, and a callback for a client that reads a
 * file too slowly.
 */
interface Outcomes<T> {
  late: (facts: RequestFacts, error: AppError) => T
  slow: (facts: RequestFacts, bytes: number) => void
}

/** Returns the error for a request whose route took too long. */
const tookTooLong = (method: string): AppError =>
  new AppError(
    503,
    READING.has(method)
      ? 'The request took too long. Request less data or try again later.'
      : 'The request took too long and may still take effect. Check the result, or retry with ' +
          'the same `Idempotency-Key`.',
    { code: 'took_too_long', headers: { 'retry-after': '30', 'cache-control': 'no-store' } },
  )
