import type { Deps } from '../../../infra/ctx'
import { isStorageError } from '../../../infra/db/errors'
import { afterYield } from '../../../infra/event-loop'
import { Pacing } from './backpressure'
import type { Intake } from './ingest'

/**
 * How long one transaction may take, milliseconds: longer while no requests come in, because each
 * commit writes every page that was touched.
 */
const MAX_BATCH_MS = 10
const MAX_QUIET_BATCH_MS = 50

/** How soon the loop tries again after the database refused a write, milliseconds. */
const RETRY_MS = 250

/**
 * Moves deliveries from the staging queue into the journal while the server runs. The commit of a
 * webhook wakes it; deliveries of an earlier process are moved at the start. While requests come in
 * it pauses between batches, so that senders get their answers first (`Pacing`).
 */
export class IngestLoop {
  private isRunning = false
  private isAwake = false
  private timer: ReturnType<typeof setTimeout> | null = null
  private readonly pacing = new Pacing()

  constructor(
    private readonly deps: Deps,
    private readonly intake: Intake,
  ) {
    intake.onAdded = () => {
      this.pacing.added()
      this.wake()
    }
  }

  /** Begins to move deliveries. */
  start(): void {
    this.isRunning = true
    this.wake()
  }

  /** Begins no further batch. What still waits stays stored for the next start. */
  stop(): void {
    this.isRunning = false
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  /** Asks for a batch after other work had its turn; does nothing during a pause. */
  private wake(): void {
    if (!this.isRunning || this.isAwake || this.timer) return
    this.isAwake = true
    afterYield(() => {
      this.isAwake = false
      this.turn()
    })
  }

  private turn(): void {
    if (!this.isRunning) return
    const isServerBusy = this.deps.eventLoop.isServerBusy
    const pauseMs = isServerBusy ? this.pacing.pauseLeftMs(this.intake.exceedsBatch) : null
    if (pauseMs !== null) return this.sleep(pauseMs)
    try {
      if (this.step(isServerBusy ? MAX_BATCH_MS : MAX_QUIET_BATCH_MS) > 0) this.wake()
    } catch (error) {
      if (!isStorageError(error))
        this.deps.log.error({ error }, 'deliveries could not be processed; retrying')
      this.sleep(RETRY_MS)
    }
  }

  private sleep(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = null
      this.turn()
    }, ms)
  }

  /**
   * Moves one batch, however busy the server is. Returns how many deliveries it had. Throws when
   * the database cannot be written.
   */
  step(maxMs = MAX_BATCH_MS): number {
    const moved = this.intake.move(maxMs)
    if (moved > 0) this.pacing.worked()
    return moved
  }
}
