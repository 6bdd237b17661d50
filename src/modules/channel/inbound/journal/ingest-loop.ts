import type { Deps } from '../../../../infra/ctx'
import { AT_ONCE, Loop, WHEN_WOKEN, type Next } from '../../../../infra/loop'
import { Backpressure } from './backpressure'
import type { IngestQueue } from './ingest'

/** Maximum duration of one transaction, milliseconds. */
const MAX_BATCH_MS = 10

/**
 * Moves deliveries from the staging queue into the journal while the server runs. A committed
 * webhook wakes it; deliveries of an earlier process are moved at the start. Pauses between batches
 * while requests come in, so that senders are answered first (`Backpressure`).
 */
export class IngestLoop {
  readonly loop: Loop

  constructor(
    private readonly deps: Deps,
    private readonly queue: IngestQueue,
    private readonly backpressure = new Backpressure(),
  ) {
    this.loop = new Loop(deps.log, () => this.turn(), {
      failure: 'deliveries could not be processed',
    })
    queue.onAdded = () => {
      this.backpressure.added()
      this.loop.wake()
    }
  }

  private turn(): Next {
    const { isServerBusy } = this.deps.eventLoop
    const pauseMs = isServerBusy ? this.backpressure.pauseLeftMs(this.queue.exceedsBatch) : null
    if (pauseMs !== null) return { pauseMs }
    return this.step() > 0 ? AT_ONCE : WHEN_WOKEN
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
