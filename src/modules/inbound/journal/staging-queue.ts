import { and, eq } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { UnavailableError } from '../../../lib/errors'
import { acrossOrganizations, type Deps } from '../../../infra/ctx'
import { isLocked, isStorageError } from '../../../infra/db/errors'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Intake } from './ingest'
import { placeOf, type SignedDelivery } from '../verify-signature'
import { inboundEvents, inboundIntake } from '../table'
import { afterYield } from '../../../infra/event-loop'

/** Deliveries of one commit. */
const MAX_PER_COMMIT = 200

/**
 * So many rounds of the event loop a commit waits for others to share it with: in a flood one more
 * makes it half as large again, alone it costs nothing.
 */
const ROUNDS = 2

/** Bytes of deliveries waiting for their commit; beyond it the platform is asked to come again. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** With work this old in the journal nothing more is accepted. */
const OLDEST_BACKLOG_MS = 10 * MINUTE_MS

/** Said of deliveries that are refused for something the log names once, when it begins. */
const NOT_STORED = 'The delivery could not be stored.'
const IN_ARREARS = 'Earlier deliveries are still being processed.'
export const LOGGED_ONCE: readonly string[] = [NOT_STORED, IN_ARREARS]

/**
 * Deliveries wait so long for another process that writes, and look again so often, milliseconds.
 */
const MAX_LOCK_MS = 2_000
const LOCK_PAUSE_MS = 100

interface Waiting {
  /** When it came, by the clock that never jumps. */
  startedMs: number
  bytes: Uint8Array
  delivery: SignedDelivery
  receivedAtMs: number
  done: PromiseWithResolvers<void>
}

/**
 * Writes accepted deliveries down before the platform hears 200: those that arrive while the event
 * loop is busy, up to 200, share one flushed transaction, and each waits for its own. Each is one
 * row; what it is made of is looked at afterwards (`Intake`).
 */
export class Journal {
  private waiting: Waiting[] = []
  private waitingBytes = 0
  private isClosed = false
  private backlog = { checkedAtMs: -Infinity, isTooOld: false }

  constructor(
    private readonly deps: Deps,
    private readonly intake: Intake,
  ) {}

  /**
   * Writes a delivery down; resolves after the commit that proves it. Throws UnavailableError when
   * it cannot be made durable now.
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

  /** Refuses everything from now on; what already waits is still committed. */
  close(): void {
    this.isClosed = true
  }

  private refusal(sizeBytes: number): string | null {
    if (this.isClosed) return 'The server is shutting down.'
    if (this.waitingBytes + sizeBytes > MAX_WAITING_BYTES)
      return 'Too many deliveries at the same time.'
    const nowMs = this.deps.clock.nowMs()
    if (Math.abs(nowMs - this.backlog.checkedAtMs) >= SECOND_MS) this.lookAtBacklog(nowMs)
    return this.backlog.isTooOld ? IN_ARREARS : null
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
      for (const [index, entry] of batch.entries()) this.taken(entry, ids[index] ?? 0)
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

  /**
   * Another process writes: the deliveries wait for it a little, while requests that only read go
   * on.
   */
  private waitForLock(batch: Waiting[]): void {
    const nowMs = performance.now()
    const patient = batch.filter(({ startedMs }) => nowMs - startedMs < MAX_LOCK_MS)
    for (const entry of batch)
      if (!patient.includes(entry)) entry.done.reject(new UnavailableError(NOT_STORED))
    if (patient.length === 0) return
    const isAlone = this.waiting.length === 0
    this.waiting.unshift(...patient)
    for (const { bytes } of patient) this.waitingBytes += bytes.length
    if (isAlone) setTimeout(() => this.commit(), LOCK_PAUSE_MS)
  }

  /** A delivery is neither an event nor a job, so relay and worker stay asleep. */
  private write<T extends number | number[]>(work: (tx: Tx) => T): T {
    return transact<number | number[]>(this.deps.db, work, { wakes: false }) as T
  }

  /** One delivery that breaks the common transaction must not fail the others. */
  private commitAlone(entry: Waiting): void {
    try {
      this.taken(
        entry,
        this.write((tx) => this.writeIn(tx, entry)),
      )
    } catch (error) {
      this.deps.log.error({ error }, 'webhook delivery not stored; answered 503')
      entry.done.reject(new UnavailableError(NOT_STORED))
    }
  }

  /** Answers a delivery that is on disk and hands it on. */
  private taken(entry: Waiting, id: number): void {
    const { bytes, delivery, receivedAtMs } = entry
    const tookMs = performance.now() - entry.startedMs
    this.deps.metrics.inboundAck.observe(tookMs / SECOND_MS)
    this.intake.add({ id, delivery, sizeBytes: bytes.length, receivedAtMs, tookMs })
    entry.done.resolve()
  }

  private writeIn(tx: Tx, { bytes, delivery, receivedAtMs }: Waiting): number {
    void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
    const { signedBy, trusted } = delivery
    const places = trusted === null ? null : JSON.stringify([...trusted].map(placeOf))
    const id = this.intake.nextId()
    this.deps.db.sqlite.query(INSERT).run(id, receivedAtMs, signedBy, places, bytes)
    return id
  }
}

/** Straight to SQLite: filling a statement of the query builder takes longer than this one runs. */
const INSERT =
  'insert into inbound_intake (id, received_at_ms, signed_by, trusted, body) values (?, ?, ?, ?, ?)'

/**
 * Time of receipt of the oldest delivery or change not yet worked off, epoch milliseconds;
 * `Infinity` when there is none. Old changes that are worked off once more are not arrears.
 */
export function oldestPendingMs(deps: Pick<Deps, 'db'>): number {
  return Math.min(oldestTakenMs(deps), oldestChangeMs(deps))
}

const oldestTakenMs = (deps: Pick<Deps, 'db'>): number =>
  deps.db.orm
    .select({ atMs: inboundIntake.receivedAtMs })
    .from(inboundIntake)
    .orderBy(inboundIntake.id)
    .limit(1)
    .get()?.atMs ?? Infinity

function oldestChangeMs(deps: Pick<Deps, 'db'>): number {
  const oldest = deps.db.orm
    .select({ atMs: inboundEvents.receivedAtMs })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'the backlog is that of the whole installation',
        and(eq(inboundEvents.state, 'pending'), eq(inboundEvents.attempts, 0)),
      ),
    )
    .orderBy(inboundEvents.receivedAtMs)
    .limit(1)
    .get()
  return oldest?.atMs ?? Infinity
}
