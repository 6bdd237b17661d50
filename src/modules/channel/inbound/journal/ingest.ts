import type { Deps } from '../../../../infra/ctx'
import { isStorageError } from '../../../../infra/db/errors'
import { transact, type Tx } from '../../../../infra/db/transact'
import { timeIsOver } from '../../../../infra/jobs/concurrency'
import type { ReadChange } from '../../../../platform/webhook/body'
import { storeDeliveryIn, storeFailedIn } from './store-delivery'
import { verifiedDelivery, type SignedDelivery } from '../verify-signature'
import { hintOf, queueOfChange } from './split-batch'

/** Maximum number of deliveries moved in one transaction. */
const MAX_BATCH = 128

/**
 * How long (milliseconds) and for how many phone numbers the owner is cached. The owner only
 * selects the queue of a delivery, so a stale entry is harmless.
 */
const OWNER_KEPT_MS = 1_000
const MAX_OWNERS = 10_000

/**
 * Maximum total size of deliveries kept in parsed form until they are moved. Others are parsed
 * again, which costs less than the garbage collection of thousands of parsed bodies.
 */
const MAX_KEPT_BYTES = 128 * 1024

/** An acknowledged delivery that is not in the journal yet. */
export interface StoredDelivery {
  /** ID of its row in `inbound_staging`. */
  id: number
  /** The parsed delivery; `null` if it has to be parsed again. */
  delivery: SignedDelivery | null
  sizeBytes: number
  receivedAtMs: number
  /** Response time of its request, milliseconds; `null` after a restart. */
  tookMs: number | null
  /** Key of its queue. */
  key?: string
}

interface Row {
  id: number
  received_at_ms: number
  signed_by: string
  trusted: string | null
  cell: string
  body: Uint8Array
}

/**
 * Queue of acknowledged deliveries that are not in the journal yet. `IngestLoop` moves them in the
 * order they were received. Organizations and kinds of changes take turns, so that a burst of one
 * does not delay the others. Memory holds only the order: the rows are the source of truth, and
 * rows of an earlier process are moved first.
 */
export class IngestQueue {
  private readonly queues = new Map<string, Queue>()
  private keptBytes = 0
  private waiting = 0
  private readonly owners = new Map<string, { organizationId: string | null; sinceMs: number }>()
  /**
   * Rows up to this ID are moved in the order they were received and are processed by jobs: rows of
   * an earlier process, and rows older than a delivery that belongs to several queues. 0 after they
   * are moved; `null` before the first query.
   */
  private inOrderUpTo: number | null = null
  /** The highest row ID used so far. */
  private lastId = 0
  /** Called for each added delivery. */
  onAdded: () => void = () => undefined

  constructor(private readonly deps: Deps) {}

  /** Whether more deliveries are queued than fit into one batch. */
  get exceedsBatch(): boolean {
    return this.waiting > MAX_BATCH
  }

  /**
   * Returns the row ID for a new delivery. Always above all earlier IDs, because SQLite reuses the
   * ID of a deleted last row.
   */
  nextId(): number {
    this.lastOrderedId()
    return (this.lastId += 1)
  }

  private lastOrderedId(): number {
    if (this.inOrderUpTo !== null) return this.inOrderUpTo
    this.lastId =
      this.deps.db.sqlite
        .query<{ id: number | null }, []>('select max(id) as id from inbound_staging')
        .get()?.id ?? 0
    return (this.inOrderUpTo = this.lastId)
  }

  /** Adds a delivery after its row is committed. */
  add(stored: StoredDelivery): void {
    const { delivery } = stored
    const [change, ...others] = delivery?.changes ?? []
    if (change && others.some((other) => queueHintOf(other) !== queueHintOf(change)))
      this.inOrderUpTo = stored.id
    const key = change ? `${queueOfChange(change)} ${this.ownerOf(change) ?? ''}` : ''
    const queue = this.queues.get(key) ?? new Queue()
    this.queues.set(key, queue)
    const isKept = this.keptBytes + stored.sizeBytes <= MAX_KEPT_BYTES
    if (isKept) this.keptBytes += stored.sizeBytes
    queue.push({ ...stored, key, delivery: isKept ? delivery : null })
    this.waiting += 1
    this.onAdded()
  }

  /**
   * Returns the organization that seems to own a change. Cached for a short time per phone number.
   */
  private ownerOf(change: ReadChange): string | null {
    const number = change.phoneNumberId
    if (number === null) return hintOf(this.deps, change)
    const nowMs = performance.now()
    const known = this.owners.get(number)
    if (known && nowMs - known.sinceMs < OWNER_KEPT_MS) return known.organizationId
    if (this.owners.size >= MAX_OWNERS) this.owners.clear()
    const organizationId = hintOf(this.deps, change)
    this.owners.set(number, { organizationId, sinceMs: nowMs })
    return organizationId
  }

  /**
   * Moves a batch of deliveries into the journal, in one transaction of about `maxMs`. Returns the
   * size of the batch; deliveries that did not fit in time stay queued.
   */
  move(maxMs: number): number {
    const earlier = this.earlierDeliveries()
    const batch = earlier.length > 0 ? earlier : this.next()
    const [first] = batch
    if (!first) return 0
    try {
      const move = (tx: Tx): Moved[] => this.moveIn(tx, batch, timeIsOver(maxMs))
      // A power cut brings the deliveries back.
      this.moved(transact(this.deps.db, move, { sharesFlush: true }))
    } catch (error) {
      if (isStorageError(error)) throw error
      this.deps.log.error(
        { error, deliveries: batch.length },
        'webhook deliveries not moved into the journal; moving them one by one',
      )
      this.moveAlone(first)
    }
    return batch.length
  }

  private moveIn(tx: Tx, batch: StoredDelivery[], isOver: () => boolean): Moved[] {
    this.deps.answerTimes.saveIn(tx, this.deps.db)
    const moved: Moved[] = []
    for (const stored of batch) {
      if (moved.length > 0 && isOver()) break
      moved.push({ stored, organizations: this.storeIn(tx, stored) })
    }
    this.deleteIn(tx, moved)
    return moved
  }

  private storeIn(tx: Tx, stored: StoredDelivery): Set<string | null> {
    const row = this.rowOf(stored.id)
    if (!row) return new Set()
    const delivery = stored.delivery ?? deliveryOf(row)
    // Deliveries of an earlier process are older than all others, whatever their organization.
    // Their jobs restore the fairness between organizations.
    const isDirect = stored.id > this.lastOrderedId()
    return storeDeliveryIn(tx, this.deps, {
      bytes: row.body,
      delivery,
      receivedAtMs: row.received_at_ms,
      isDirect,
    })
  }

  /**
   * Moves one delivery in its own transaction, so that a broken delivery does not block the others.
   * Stores a delivery that cannot be parsed as failed.
   */
  private moveAlone(stored: StoredDelivery): void {
    const alone = (store: (tx: Tx, row: Row) => void): void => {
      const row = this.rowOf(stored.id)
      if (row)
        transact(this.deps.db, (tx) => {
          store(tx, row)
          this.deleteIn(tx, [{ stored }])
        })
    }
    try {
      alone((tx) => void this.storeIn(tx, stored))
    } catch (error) {
      if (isStorageError(error)) throw error
      this.deps.log.error({ error, delivery: stored.id }, 'webhook delivery not parsed')
      const reason = error instanceof Error ? error.message : 'failed'
      alone((tx, row) =>
        storeFailedIn(tx, this.deps, {
          bytes: row.body,
          signedBy: row.signed_by,
          cell: row.cell,
          receivedAtMs: row.received_at_ms,
          reason,
        }),
      )
    }
    this.moved([{ stored, organizations: new Set() }])
  }

  /** Updates the queues and response times after the commit. */
  private moved(moved: Moved[]): void {
    const times = this.deps.answerTimes
    times.forget()
    for (const { stored, organizations } of moved) {
      if (stored.tookMs !== null) times.note(organizations, stored.receivedAtMs, stored.tookMs)
      if (stored.delivery) this.keptBytes -= stored.sizeBytes
      if (stored.key !== undefined) this.dropFirst(stored.key)
    }
  }

  /** Removes the first delivery of a queue and moves the queue behind the others. */
  private dropFirst(key: string): void {
    const queue = this.queues.get(key)
    this.queues.delete(key)
    if (!queue) return
    queue.drop()
    this.waiting -= 1
    if (queue.length > 0) this.queues.set(key, queue)
  }

  /** Returns the next batch: one delivery of each queue, then the second of each, and so on. */
  private next(): StoredDelivery[] {
    const batch: StoredDelivery[] = []
    for (let nth = 0; batch.length < MAX_BATCH; nth += 1) {
      const before = batch.length
      for (const queue of this.queues.values()) {
        const stored = queue.at(nth)
        if (stored && batch.length < MAX_BATCH) batch.push(stored)
      }
      if (batch.length === before) break
    }
    return batch
  }

  /** Returns the deliveries to move strictly in the order they were received, oldest first. */
  private earlierDeliveries(): StoredDelivery[] {
    const upTo = this.lastOrderedId()
    if (upTo === 0) return []
    const rows = this.deps.db.sqlite
      .query<{ id: number; receivedAtMs: number }, [number, number]>(
        'select id, received_at_ms as receivedAtMs from inbound_staging where id <= ? order by id limit ?',
      )
      .all(upTo, MAX_BATCH)
    if (rows.length === 0) this.inOrderUpTo = 0
    return rows.map((row) => ({ ...row, delivery: null, sizeBytes: 0, tookMs: null }))
  }

  private rowOf(id: number): Row | null {
    return this.deps.db.sqlite
      .query<Row, [number]>('select * from inbound_staging where id = ?')
      .get(id)
  }

  private deleteIn(tx: Tx, moved: Pick<Moved, 'stored'>[]): void {
    void tx // one connection: the statement runs inside the transaction that `tx` proves to be open
    const ids = JSON.stringify(moved.map(({ stored }) => stored.id))
    this.deps.db.sqlite
      .query('delete from inbound_staging where id in (select value from json_each(?))')
      .run(ids)
  }
}

/** A moved delivery, and the organizations it concerns. */
interface Moved {
  stored: StoredDelivery
  organizations: Set<string | null>
}

/** Returns a key shared by changes of one queue, without a database query. */
const queueHintOf = (change: ReadChange): string =>
  `${queueOfChange(change)} ${change.phoneNumberId ?? change.businessId}`

const deliveryOf = (row: Row): SignedDelivery =>
  verifiedDelivery(row.body, {
    signedBy: row.signed_by,
    cell: row.cell,
    places: row.trusted === null ? null : (JSON.parse(row.trusted) as string[]),
  })

/**
 * First-in, first-out queue of deliveries. Trims removed entries in batches instead of shifting the
 * array on every removal.
 */
class Queue {
  private items: StoredDelivery[] = []
  private begin = 0

  get length(): number {
    return this.items.length - this.begin
  }

  push(stored: StoredDelivery): void {
    this.items.push(stored)
  }

  at(nth: number): StoredDelivery | undefined {
    return this.items[this.begin + nth]
  }

  /** Removes the first delivery. */
  drop(): void {
    this.begin += 1
    if (this.begin < MAX_FORGOTTEN || this.begin * 2 < this.items.length) return
    this.items = this.items.slice(this.begin)
    this.begin = 0
  }
}

const MAX_FORGOTTEN = 1_024
