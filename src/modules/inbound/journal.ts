import { and, eq, sql } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { UnavailableError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import { INSTALLATION, systemCtx, type Deps } from '../../infra/ctx'
import { compiled, isLocked, isStorageTrouble, transact, type Tx } from '../../infra/db'
import { enqueue } from '../../infra/jobs/enqueue'
import { readChanges, type ReadChange } from '../../platform/payload'
import { bodyOf, packBody, recentBodies } from './bodies'
import { answerTimes, countIn } from './hours'
import { NOT_SIGNED_FOR } from './selection'
import type { SignedDelivery } from './signatures'
import { splitFurther } from './splitting/jobs'
import { hintOf, writeEventIn } from './splitting/splitting'
import { inboundBodies, inboundEvents } from './table'

/** Deliveries of one commit. */
const MOST_PER_COMMIT = 200

/** Bytes of deliveries waiting for their commit; beyond it the platform is asked to come again. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024

/** With work this old in the journal nothing more is accepted. */
const OLDEST_BACKLOG_MS = 10 * MINUTE_MS

/** How a delivery was taken: written down, or known already. */
export type Acceptance = 'journaled' | 'duplicate'

/** Said of deliveries that are refused for something the log names once, when it begins. */
const NOT_STORED = 'The delivery could not be stored.'
const IN_ARREARS = 'Earlier deliveries are still being worked off.'
export const LOGGED_ONCE: readonly string[] = [NOT_STORED, IN_ARREARS]

/** Deliveries wait so long for another process that writes, and look again so often, milliseconds. */
const LONGEST_LOCK_MS = 2_000
const LOCK_PAUSE_MS = 100

interface Waiting {
  /** When it came, by the clock that never jumps. */
  startedMs: number
  bytes: Uint8Array
  delivery: SignedDelivery
  receivedAtMs: number
  /** Whom it seems to concern; known once it was looked at for writing. */
  organizations: Set<string | null>
  done: PromiseWithResolvers<Acceptance>
}

/**
 * Writes accepted deliveries down before the platform hears 200: those that arrive while the event loop is busy, up to 200, share
 * one flushed transaction, and each waits for its own.
 */
export class Journal {
  private waiting: Waiting[] = []
  private waitingBytes = 0
  private isClosed = false
  private backlog = { checkedAtMs: -Infinity, isTooOld: false }

  constructor(private readonly deps: Deps) {}

  /** Writes a delivery down; resolves after the commit that proves it. Throws UnavailableError when it cannot be made durable now. */
  async accept(bytes: Uint8Array, delivery: SignedDelivery): Promise<Acceptance> {
    const unavailable = this.refusal(bytes.length)
    if (unavailable !== null) throw new UnavailableError(unavailable)
    const startedMs = performance.now()
    const { metrics } = this.deps
    const entry: Waiting = {
      startedMs,
      bytes,
      delivery,
      receivedAtMs: this.deps.clock.nowMs(),
      organizations: new Set(),
      done: Promise.withResolvers<Acceptance>(),
    }
    this.waitingBytes += bytes.length
    if (this.waiting.push(entry) === 1) setImmediate(() => this.commit())
    const acceptance = await entry.done.promise
    const tookMs = performance.now() - startedMs
    metrics.inboundAck.of().observe(tookMs / SECOND_MS)
    answerTimes(this.deps).note(entry.organizations, entry.receivedAtMs, tookMs)
    return acceptance
  }

  /** Refuses everything from now on; what already waits is still committed. */
  close(): void {
    this.isClosed = true
  }

  private refusal(sizeBytes: number): string | null {
    if (this.isClosed) return 'The server is stopping.'
    if (this.waitingBytes + sizeBytes > MOST_WAITING_BYTES) return 'Too many deliveries at once.'
    const nowMs = this.deps.clock.nowMs()
    if (Math.abs(nowMs - this.backlog.checkedAtMs) >= SECOND_MS) this.lookAtBacklog(nowMs)
    return this.backlog.isTooOld ? IN_ARREARS : null
  }

  private lookAtBacklog(nowMs: number): void {
    const isTooOld = oldestPendingMs(this.deps) < nowMs - OLDEST_BACKLOG_MS
    if (isTooOld && !this.backlog.isTooOld)
      this.deps.log.error('deliveries are refused with 503: the oldest one has waited for ten minutes to be worked off')
    if (!isTooOld && this.backlog.isTooOld) this.deps.log.info('deliveries are taken again: the old ones are worked off')
    this.backlog = { checkedAtMs: nowMs, isTooOld }
  }

  private commit(): void {
    const batch = this.waiting.slice(0, MOST_PER_COMMIT)
    this.waiting = this.waiting.slice(MOST_PER_COMMIT)
    for (const { bytes } of batch) this.waitingBytes -= bytes.length
    if (this.waiting.length > 0) setImmediate(() => this.commit())
    try {
      const times = answerTimes(this.deps)
      const outcomes = transact(this.deps.db, (tx) => {
        times.saveIn(tx, this.deps.db)
        return batch.map((entry) => this.writeIn(tx, entry))
      })
      times.forget()
      for (const [index, entry] of batch.entries()) entry.done.resolve(outcomes[index] ?? 'duplicate')
    } catch (error) {
      if (isLocked(error)) return this.waitForLock(batch)
      if (!isStorageTrouble(error))
        this.deps.log.error({ error, deliveries: batch.length }, 'deliveries could not be journaled; the platform was asked to come again')
      if (batch.length > 1 && !isStorageTrouble(error)) for (const entry of batch) this.commitAlone(entry)
      else for (const entry of batch) entry.done.reject(new UnavailableError(NOT_STORED))
    }
  }

  /** Another process writes: the deliveries wait for it a little, while requests that only read go on. */
  private waitForLock(batch: Waiting[]): void {
    const nowMs = performance.now()
    const patient = batch.filter(({ startedMs }) => nowMs - startedMs < LONGEST_LOCK_MS)
    for (const entry of batch) if (!patient.includes(entry)) entry.done.reject(new UnavailableError(NOT_STORED))
    if (patient.length === 0) return
    const isAlone = this.waiting.length === 0
    this.waiting.unshift(...patient)
    for (const { bytes } of patient) this.waitingBytes += bytes.length
    if (isAlone) setTimeout(() => this.commit(), LOCK_PAUSE_MS)
  }

  /** One delivery that breaks the common transaction must not fail the others. */
  private commitAlone(entry: Waiting): void {
    try {
      entry.done.resolve(transact(this.deps.db, (tx) => this.writeIn(tx, entry)))
    } catch (error) {
      this.deps.log.error({ error }, 'a delivery could not be journaled; the platform was asked to come again')
      entry.done.reject(new UnavailableError(NOT_STORED))
    }
  }

  private writeIn(tx: Tx, entry: Waiting): Acceptance {
    const { deps } = this
    const { bytes, delivery, receivedAtMs } = entry
    const id = deps.ids.next()
    const isNew = insertBody(deps.db).get({
      id,
      receivedAtMs,
      digest: sha256Hex(bytes),
      signedBy: delivery.signedBy,
      sizeBytes: bytes.length,
      body: packBody(bytes),
    })
    const isOurs = isWhatsAppBody(delivery.body)
    const changes = delivery.changes.length === 0 ? [NO_CHANGE] : delivery.changes
    const routed = changes.map((change) => ({ change, organizationId: isOurs && delivery.isTrusted(change) ? hintOf(deps, change) : null }))
    entry.organizations = new Set(routed.map(({ organizationId }) => organizationId))
    for (const organizationId of entry.organizations) {
      const received = routed.filter((one) => one.organizationId === organizationId).length
      countIn(tx, deps, { organizationId, receivedAtMs, received, duplicates: isNew ? 0 : received })
    }
    if (!isNew) return 'duplicate'
    const isWhole = readChanges(delivery.body, { from: delivery.changes.length, most: 1 }).length === 0
    if (isWhole) recentBodies(deps).keep(id, bodyOf(delivery.changes, delivery.signedBy), bytes.length)
    for (const one of routed) {
      const ignoredFor = delivery.changes.length === 0 ? 'no_changes' : delivery.isTrusted(one.change) ? null : NOT_SIGNED_FOR
      writeEventIn(tx, deps, { bodyId: id, receivedAtMs, ...one, ignoredFor: isOurs ? ignoredFor : UNKNOWN_OBJECT })
    }
    if (!isWhole && isOurs)
      enqueue(tx, systemCtx(deps, INSTALLATION), splitFurther, { args: { bodyId: id, from: delivery.changes.length, receivedAtMs } })
    return 'journaled'
  }
}

const NO_CHANGE: ReadChange = {
  entryIndex: 0,
  changeIndex: 0,
  businessId: null,
  entryTime: null,
  field: null,
  phoneNumberId: null,
  value: null,
}

/** Why nothing is made of a body that is about something else. */
const UNKNOWN_OBJECT = 'unknown_object'

const isWhatsAppBody = (body: unknown): boolean => (body as { object?: unknown } | null)?.object === 'whatsapp_business_account'

const insertBody = compiled((orm) =>
  orm
    .insert(inboundBodies)
    .values({
      id: sql.placeholder('id'),
      receivedAtMs: sql.placeholder('receivedAtMs'),
      digest: sql.placeholder('digest'),
      signedBy: sql.placeholder('signedBy'),
      sizeBytes: sql.placeholder('sizeBytes'),
      body: sql.placeholder('body'),
    })
    .onConflictDoNothing()
    .returning({ id: inboundBodies.id })
    .prepare(),
)

/**
 * Time of receipt of the oldest change not yet worked off, epoch milliseconds; `Infinity` when there is none. Old changes that are
 * worked off once more are not arrears.
 */
export function oldestPendingMs(deps: Pick<Deps, 'db'>): number {
  const oldest = deps.db.orm
    .select({ atMs: inboundEvents.receivedAtMs })
    .from(inboundEvents)
    .where(and(eq(inboundEvents.state, 'pending'), eq(inboundEvents.attempts, 0)))
    .orderBy(inboundEvents.receivedAtMs)
    .limit(1)
    .get()
  return oldest?.atMs ?? Infinity
}
