import { isStorageError } from './db/errors'
import { afterYield } from './event-loop'
import type { Log } from './log'

/** Time after an error until the next turn, milliseconds. */
const RETRY_MS = 250

/**
 * When the next turn begins: when the loop is woken and at the latest after `waitMs`, or after
 * `pauseMs` and not before.
 */
export type Next = { waitMs: number } | { pauseMs: number }

/** Another turn follows after other work. */
export const AT_ONCE: Next = { waitMs: 0 }

/** Another turn follows when the loop is woken. */
export const WHEN_WOKEN: Next = { waitMs: Infinity }

/**
 * Waits for work: takes a turn when it is woken, when a turn has said so, and after an error. Turns
 * are short and synchronous; other work runs between them.
 */
export class Loop {
  private isRunning = false
  /** Whether a turn follows after other work. */
  private isAwake = false
  private isPaused = false
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly log: Pick<Log, 'error'>,
    private readonly turn: () => Next,
    /** What an error means, for the log, and how many iterations of the event loop come first. */
    private readonly options: { failure: string; rounds?: number },
  ) {}

  /** Begins with a turn. */
  start(): void {
    this.isRunning = true
    this.wake()
  }

  /** Takes no further turn. */
  stop(): void {
    this.isRunning = false
    this.clearTimer()
  }

  /** Takes a turn after other work, or after the pause. */
  wake(): void {
    if (this.isAwake) return
    this.isAwake = true
    afterYield(() => {
      this.isAwake = false
      if (!this.isPaused) this.run()
    }, this.options.rounds)
  }

  private run(): void {
    if (!this.isRunning) return
    this.clearTimer()
    const next = this.takeTurn()
    if ('pauseMs' in next) this.isPaused = true
    const ms = 'pauseMs' in next ? next.pauseMs : next.waitMs
    if (ms === 0) this.wake()
    else if (ms < Infinity) this.timer = setTimeout(() => this.run(), ms)
  }

  private takeTurn(): Next {
    try {
      return this.turn()
    } catch (error) {
      if (!isStorageError(error)) this.log.error({ error }, `${this.options.failure}; retrying`)
      return { pauseMs: RETRY_MS }
    }
  }

  private clearTimer(): void {
    clearTimeout(this.timer)
    this.isPaused = false
  }
}
