import { and, eq } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { UnavailableError } from '../../../../lib/errors'
import { acrossOrganizations, type Deps } from '../../../../infra/ctx'
import { isLocked, isStorageError } from '../../../../infra/db/errors'
import { flushed, transact, type Tx } from '../../../../infra/db/transact'
import type { IngestQueue } from './ingest'
import { trustedPlaces, type SignedDelivery } from '../verify-signature'
import { inboundEvents, isNotDone, inboundStaging } from '../table'
import { afterYield } from '../../../../infra/event-loop'

/** Maximum number of deliveries in one commit. */
const MAX_PER_COMMIT = 200

/**
 * Event loop iterations to wait before a commit, so that several deliveries share it. In a burst
 * the second iteration makes commits half as large again; without a burst it costs nothing.
 */
const ROUNDS = 2

/**
 * Maximum total size of deliveries waiting for their commit. Above it, deliveries are rejected and
 * the platform retries them.
 */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Maximum age of unprocessed changes. Above it, new deliveries are rejected. */
const OLDEST_BACKLOG_MS = 10 * MINUTE_MS

/** Error messages of rejections that the log reports once, at the start of the problem. */
const NOT_STORED = 'The delivery could not be stored.'
const OVERLOADED = 'Earlier deliveries are still being processed.'
export const LOGGED_ONCE: readonly string[] = [NOT_STORED, OVERLOADED]

/**
 * How long deliveries wait for another process that holds the write lock, and how often the commit
 * is retried, milliseconds.
 */
const MAX_LOCK_MS = 2_000
const LOCK_PAUSE_MS = 100

interface Waiting {
  /** Time of receipt on the monotonic clock. */
  startedMs: number
  bytes: Uint8Array
  delivery: SignedDelivery
  receivedAtMs: number
  done: PromiseWithResolvers<void>
}

/**
 * Stores accepted deliveries before the platform receives 200. Deliveries that arrive while the
 * event loop is busy share one flushed transaction (up to 200), and each request waits for its
 * commit. A delivery is one row; `IngestQueue` splits it into changes afterwards.
 */
export class Journal {
  private waiting: Waiting[] = []
  private waitingBytes = 0
  private isClosed = false
  private backlog = { checkedAtMs: -Infinity, isTooOld: false }

  constructor(
    private readonly deps: Deps,
    private readonly queue: IngestQueue,
  ) {}

  /**
   * Stores a delivery and resolves after its commit. Throws UnavailableError if the delivery cannot
   * be made durable now.
   */
  async accept(bytes: Uint8Array, delivery: SignedDelivery): Promise<void> {
    const unavailable = this.refusal(bytes.length)
    if (unavailable !== null) throw new UnavailableError(unavailable)
    const entry: Waiting = {
      startedMs: performance.now(),
      bytes,
      delivery,
      receivedAtMs: this.deps.clock.nowMs(),
      done: Promise.withResolvers<void>(),
    }
    this.waitingBytes += bytes.length
    if (this.waiting.push(entry) === 1) afterYield(() => this.commit(), ROUNDS)
    await entry.done.promise
  }

  /** Rejects all further deliveries. Deliveries that are already waiting are still committed. */
  close(): void {
    this.isClosed = true
  }

  private refusal(sizeBytes: number): string | null {
    if (this.isClosed) return 'The server is shutting down.'
    if (this.waitingBytes + sizeBytes > MAX_WAITING_BYTES)
      return 'Too many deliveries at the same time.'
    const nowMs = this.deps.clock.nowMs()
    if (Math.abs(nowMs - this.backlog.checkedAtMs) >= SECOND_MS) this.lookAtBacklog(nowMs)
    return this.backlog.isTooOld ? OVERLOADED : null
  }

  private lookAtBacklog(nowMs: number): void {
    const isTooOld = oldestPendingMs(this.deps) < nowMs - OLDEST_BACKLOG_MS
    if (isTooOld && !this.backlog.isTooOld)
      this.deps.log.error('webhooks rejected with 503: processing is more than ten minutes behind')
    if (!isTooOld && this.backlog.isTooOld) this.deps.log.info('webhooks accepted again')
    this.backlog = { checkedAtMs: nowMs, isTooOld }
  }

  private commit(): void {
    const batch = this.waiting.slice(0, MAX_PER_COMMIT)
    this.waiting = this.waiting.slice(MAX_PER_COMMIT)
    for (const { bytes } of batch) this.waitingBytes -= bytes.length
    if (this.waiting.length > 0) afterYield(() => this.commit(), 1)
    try {
      const ids = this.write((tx) => batch.map((entry) => this.writeIn(tx, entry)))
      this.answerWhenFlushed(batch, ids)
    } catch (error) {
      if (isLocked(error)) return this.waitForLock(batch)
      if (!isStorageError(error))
        this.deps.log.error(
          { error, deliveries: batch.length },
          'webhook deliveries not stored; answered 503',
        )
      if (batch.length > 1 && !isStorageError(error))
        for (const entry of batch) this.commitAlone(entry)
      else for (const entry of batch) entry.done.reject(new UnavailableError(NOT_STORED))
    }
  }

  /** Waits a short time for the write lock of another process. Read requests continue meanwhile. */
  private waitForLock(batch: Waiting[]): void {
    const nowMs = performance.now()
    const stillWaiting = batch.filter(({ startedMs }) => nowMs - startedMs < MAX_LOCK_MS)
    for (const entry of batch)
      if (!stillWaiting.includes(entry)) entry.done.reject(new UnavailableError(NOT_STORED))
    if (stillWaiting.length === 0) return
    const isAlone = this.waiting.length === 0
    this.waiting.unshift(...stillWaiting)
    for (const { bytes } of stillWaiting) this.waitingBytes += bytes.length
    if (isAlone) setTimeout(() => this.commit(), LOCK_PAUSE_MS)
  }

  /**
   * Staged deliveries are neither events nor jobs, so the commit does not wake relay and worker.
   */
  private write<T extends number | number[]>(work: (tx: Tx) => T): T {
    return transact<number | number[]>(this.deps.db, work, {
      sharesFlush: true,
      wakes: false,
    }) as T
  }

  /**
   * Commits one delivery in its own transaction, so that a broken delivery does not fail the
   * others.
   */
  private commitAlone(entry: Waiting): void {
    try {
      this.answerWhenFlushed([entry], [this.write((tx) => this.writeIn(tx, entry))])
    } catch (error) {
      this.deps.log.error({ error }, 'webhook delivery not stored; answered 503')
      entry.done.reject(new UnavailableError(NOT_STORED))
    }
  }

  /** Answers the requests of committed deliveries once these are on disk. */
  private answerWhenFlushed(batch: Waiting[], ids: number[]): void {
    const queued = (): void => {
      for (const [index, entry] of batch.entries()) this.queueDelivery(entry, ids[index] ?? 0)
    }
    flushed(this.deps.db).then(
      () => {
        queued()
        for (const entry of batch) entry.done.resolve()
      },
      () => {
        queued() // stored, though a power cut may lose it: the platform sends it again
        for (const entry of batch) entry.done.reject(new UnavailableError(NOT_STORED))
      },
    )
  }

  /** Adds a committed delivery to the ingest queue. */
  private queueDelivery({ startedMs, bytes, delivery, receivedAtMs }: Waiting, id: number): void {
    const tookMs = performance.now() - startedMs
    this.deps.metrics.inboundAck.observe(tookMs / SECOND_MS)
    this.queue.add({ id, delivery, sizeBytes: bytes.length, receivedAtMs, tookMs })
  }

  private writeIn(tx: Tx, { bytes, delivery, receivedAtMs }: Waiting): number {
    void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
    const { signedBy, cell } = delivery
    const places = trustedPlaces(delivery)
    const trusted = places && JSON.stringify(places)
    const id = this.queue.nextId()
    this.deps.db.sqlite.query(INSERT).run(id, receivedAtMs, signedBy, trusted, cell, bytes)
    return id
  }
}

/** Plain SQL: binding a prepared statement of the query builder takes longer than the insert. */
const INSERT =
  'insert into inbound_staging (id, received_at_ms, signed_by, trusted, cell, body) values (?, ?, ?, ?, ?, ?)'

/**
 * Returns the time of receipt of the oldest unprocessed delivery or change, epoch milliseconds;
 * `Infinity` if there is none. Replays do not count.
 */
export function oldestPendingMs(deps: Pick<Deps, 'db'>): number {
  return Math.min(oldestStagedMs(deps), oldestChangeMs(deps))
}

const oldestStagedMs = (deps: Pick<Deps, 'db'>): number =>
  deps.db.orm
    .select({ atMs: inboundStaging.receivedAtMs })
    .from(inboundStaging)
    .orderBy(inboundStaging.id)
    .limit(1)
    .get()?.atMs ?? Infinity

function oldestChangeMs(deps: Pick<Deps, 'db'>): number {
  const oldest = deps.db.orm
    .select({ atMs: inboundEvents.receivedAtMs })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'the backlog is that of the whole installation',
        and(isNotDone, eq(inboundEvents.state, 'pending'), eq(inboundEvents.attempts, 0)),
      ),
    )
    .orderBy(inboundEvents.receivedAtMs)
    .limit(1)
    .get()
  return oldest?.atMs ?? Infinity
}
