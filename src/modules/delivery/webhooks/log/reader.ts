import { transact, type Tx } from '../../../../infra/db/transact'
import type { Deps } from '../../../../infra/ctx'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import { AT_ONCE, Loop, WHEN_WOKEN } from '../../../../infra/loop'
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

/**
 * Makes deliveries from the event log: one for each event and endpoint that chose it, in the
 * transaction that moves its position, so that a crash neither loses nor repeats one.
 */
export class WebhookReader {
  readonly loop: Loop
  private position = -1
  private saved = 0

  constructor(private readonly deps: Deps) {
    this.loop = new Loop(deps.log, () => (this.step() > 0 ? AT_ONCE : WHEN_WOKEN), {
      failure: 'events could not be read for webhooks',
      // In the next round: requests that keep the server busy must not delay events for seconds.
      rounds: 1,
    })
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
