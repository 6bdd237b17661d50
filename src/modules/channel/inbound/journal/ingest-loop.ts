import type { Deps } from '../../../../infra/ctx'
import { isStorageError } from '../../../../infra/db/errors'
import { afterYield } from '../../../../infra/event-loop'
import { Backpressure } from './backpressure'
import type { IngestQueue } from './ingest'

/** Maximum duration of one transaction, milliseconds. */
const MAX_BATCH_MS = 10

/** Delay before the loop retries a failed write, milliseconds. */
const RETRY_MS = 250

/**
 * Moves deliveries from the staging queue into the journal while the server runs. A committed
 * webhook wakes it; deliveries of an earlier process are moved at the start. Pauses between batches
 * while requests come in, so that senders are answered first (`Backpressure`).
 */
export class IngestLoop {
  private isRunning = false
  private isAwake = false
  private timer: ReturnType<typeof setTimeout> | null = null
  private readonly backpressure = new Backpressure()

  constructor(
    private readonly deps: Deps,
    private readonly queue: IngestQueue,
  ) {
    queue.onAdded = () => {
      this.backpressure.added()
      this.wake()
    }
  }

  /** Starts moving deliveries. */
  start(): void {
    this.isRunning = true
    this.wake()
  }

  /** Starts no further batch. Remaining deliveries stay stored until the next start. */
  stop(): void {
    this.isRunning = false
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  /** Schedules a batch after other work in the event loop. Does nothing during a pause. */
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
    const pauseMs = isServerBusy ? this.backpressure.pauseLeftMs(this.queue.exceedsBatch) : null
    if (pauseMs !== null) return this.sleep(pauseMs)
    try {
      if (this.step() > 0) this.wake()
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
   * Moves one batch regardless of load. Returns the number of deliveries in it. Throws if the
   * database cannot be written.
   */
  step(maxMs = MAX_BATCH_MS): number {
    const moved = this.queue.move(maxMs)
    if (moved > 0) this.backpressure.worked()
    return moved
  }
}
