import { isStorageError } from '../../../../infra/db/errors'
import { transact, type Tx } from '../../../../infra/db/transact'
import { afterYield } from '../../../../infra/event-loop'
import type { Deps } from '../../../../infra/ctx'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import { eventsBeyond } from '../../../../infra/outbox/relay'
import { Endpoints } from './endpoints'
import { hasEndpoints, readerPosition, savePositionIn } from './position'
import { storeDeliveriesIn } from './store-deliveries'

/** Events read in one transaction, and how much time it takes at most, milliseconds. */
const BATCH = 64
const MAX_MS = 8

/** The position is stored at least this often, in events without deliveries. */
const SAVED_EVERY = 1_000

const RETRY_MS = 250

/**
 * Makes deliveries from the event log: one for each event and endpoint that chose it, in the
 * transaction that moves its position, so that a crash neither loses nor repeats one.
 */
export class WebhookReader {
  private position = -1
  private saved = 0
  private isRunning = false
  private isAwake = false
  private timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly deps: Deps) {}

  /** Starts reading events. */
  start(): void {
    this.isRunning = true
    this.wake()
  }

  /** Reads no more. Remaining events are read after the next start. */
  stop(): void {
    this.isRunning = false
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  /** Schedules a batch after the current work. */
  wake(): void {
    if (!this.isRunning || this.isAwake || this.timer) return
    this.isAwake = true
    // In the next round: requests that keep the server busy must not delay events for seconds.
    afterYield(() => {
      this.isAwake = false
      this.turn()
    }, 1)
  }

  private turn(): void {
    if (!this.isRunning) return
    try {
      if (this.step() > 0) this.wake()
    } catch (error) {
      if (!isStorageError(error))
        this.deps.log.error({ error }, 'events could not be read for webhooks; retrying')
      this.timer = setTimeout(() => {
        this.timer = null
        this.turn()
      }, RETRY_MS)
    }
  }

  /** Reads one batch. Returns the number of events. Throws if the database cannot be written. */
  step(): number {
    if (!hasEndpoints(this.deps)) {
      this.position = -1
      return 0
    }
    // The stored position is ahead after the first endpoint was created, or another process read.
    this.position = Math.max(this.position, readerPosition(this.deps))
    const events = eventsBeyond(this.deps, this.position, BATCH)
    if (events.length === 0) return 0
    const endpoints = new Endpoints(this.deps)
    if (events.some((event) => endpoints.of(event.organizationId).length > 0))
      this.position = transact(this.deps.db, (tx) => this.readIn(tx, events, endpoints))
    else this.position = events.at(-1)?.position ?? this.position
    if (this.position - this.saved >= SAVED_EVERY) {
      transact(this.deps.db, (tx) => savePositionIn(tx, this.deps, this.position), {
        isFlushed: false,
        wakes: false,
      })
      this.saved = this.position
    }
    return events.length
  }

  private readIn(tx: Tx, events: LoggedEvent[], endpoints: Endpoints): number {
    const isOver = timeIsOver(MAX_MS)
    let position = this.position
    for (const event of events) {
      storeDeliveriesIn(tx, this.deps, event, endpoints.of(event.organizationId))
      position = event.position
      if (isOver()) break
    }
    savePositionIn(tx, this.deps, position)
    this.saved = position
    return position
  }
}
