import type { Deps } from '../../../infra/ctx'
import { isStorageError } from '../../../infra/db/errors'
import { transact, type Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import type { ReadChange } from '../../../platform/webhook/body'
import { enterDeliveryIn, enterFailedIn } from './store-delivery'
import { verifiedDelivery, type SignedDelivery } from '../verify-signature'
import { hintOf, queueOfChange } from './split-batch'

/** Deliveries moved in one transaction at most. */
const MAX_BATCH = 128

/**
 * Whose a number is, is believed for so long, milliseconds, and of so many numbers: it only says in
 * which queue a delivery stands.
 */
const OWNER_KEPT_MS = 1_000
const MAX_OWNERS = 10_000

/**
 * Bytes of deliveries that are kept as they were read until they are moved; others are read again,
 * which takes less than the collector does with thousands of them.
 */
const MAX_KEPT_BYTES = 128 * 1024

/** A delivery that was answered and waits to be moved into the journal. */
export interface StoredDelivery {
  /** Its row in the intake. */
  id: number
  /** As it was read; `null` when it is to be read again. */
  delivery: SignedDelivery | null
  sizeBytes: number
  receivedAtMs: number
  /** How long its sender waited for the answer, milliseconds; `null` when nobody knows any more. */
  tookMs: number | null
  /** The queue it stands in. */
  key?: string
}

interface Row {
  id: number
  received_at_ms: number
  signed_by: string
  trusted: string | null
  body: Uint8Array
}

/**
 * The deliveries that were answered and are not in the journal yet. `IngestLoop` moves them there
 * in the order they came, but organizations and kinds of change take turns, so that a flood of one
 * delays no other. Memory only holds the order: the rows are what counts, and those an earlier
 * process left are moved first.
 */
export class Intake {
  private readonly queues = new Map<string, Queue>()
  private keptBytes = 0
  private waiting = 0
  private readonly owners = new Map<string, { organizationId: string | null; sinceMs: number }>()
  /**
   * Up to this row all are moved in the order they came, and get jobs: what an earlier process
   * left, and what came before a delivery that stands in several queues. 0 when they are moved,
   * `null` until it was looked.
   */
  private inOrderUpTo: number | null = null
  /** The newest row there ever was. */
  private lastId = 0
  /** Called for each delivery that is added. */
  onAdded: () => void = () => undefined

  constructor(private readonly deps: Deps) {}

  /** Whether more deliveries wait than one batch takes. */
  get exceedsBatch(): boolean {
    return this.waiting > MAX_BATCH
  }

  /**
   * The row of a further delivery: above all there were, for SQLite would give the number of one
   * that is gone to another one.
   */
  nextId(): number {
    this.look()
    return (this.lastId += 1)
  }

  private look(): number {
    if (this.inOrderUpTo !== null) return this.inOrderUpTo
    this.lastId =
      this.deps.db.sqlite
        .query<{ id: number | null }, []>('select max(id) as id from inbound_intake')
        .get()?.id ?? 0
    return (this.inOrderUpTo = this.lastId)
  }

  /** Takes over a delivery whose row was committed. */
  add(taken: StoredDelivery): void {
    const { delivery } = taken
    const [change, ...others] = delivery?.changes ?? []
    if (change && others.some((other) => placeInTurns(other) !== placeInTurns(change)))
      this.inOrderUpTo = taken.id
    const key = change ? `${queueOfChange(change)} ${this.whose(change) ?? ''}` : ''
    const queue = this.queues.get(key) ?? new Queue()
    this.queues.set(key, queue)
    const isKept = this.keptBytes + taken.sizeBytes <= MAX_KEPT_BYTES
    if (isKept) this.keptBytes += taken.sizeBytes
    queue.push({ ...taken, key, delivery: isKept ? delivery : null })
    this.waiting += 1
    this.onAdded()
  }

  /** The organization whose turn it is to be; of one number it is looked up once in a while. */
  private whose(change: ReadChange): string | null {
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
   * Moves a batch of deliveries into the journal, in one transaction of about `maxMs`. Returns how
   * many were to be moved; some of them may wait for the next batch.
   */
  move(maxMs: number): number {
    const left = this.left()
    const batch = left.length > 0 ? left : this.next()
    const [first] = batch
    if (!first) return 0
    try {
      this.moved(transact(this.deps.db, (tx) => this.moveIn(tx, batch, timeIsOver(maxMs))))
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
    for (const taken of batch) {
      if (moved.length > 0 && isOver()) break
      moved.push({ taken, organizations: this.enterIn(tx, taken) })
    }
    this.deleteIn(tx, moved)
    return moved
  }

  private enterIn(tx: Tx, taken: StoredDelivery): Set<string | null> {
    const row = this.rowOf(taken.id)
    if (!row) return new Set()
    const delivery = taken.delivery ?? deliveryOf(row)
    // These stand before what came since, whosever it is: jobs bring the organizations back into
    // their turns.
    const isDirect = taken.id > this.look()
    return enterDeliveryIn(tx, this.deps, {
      bytes: row.body,
      delivery,
      receivedAtMs: row.received_at_ms,
      isDirect,
    })
  }

  /**
   * One delivery that breaks the common transaction must not hold up the others: where nothing can
   * be made of it, the journal says so.
   */
  private moveAlone(taken: StoredDelivery): void {
    const alone = (enter: (tx: Tx, row: Row) => void): void => {
      const row = this.rowOf(taken.id)
      if (row)
        transact(this.deps.db, (tx) => {
          enter(tx, row)
          this.deleteIn(tx, [{ taken }])
        })
    }
    try {
      alone((tx) => void this.enterIn(tx, taken))
    } catch (error) {
      if (isStorageError(error)) throw error
      this.deps.log.error({ error, delivery: taken.id }, 'webhook delivery not parsed')
      const reason = error instanceof Error ? error.message : 'failed'
      alone((tx, row) =>
        enterFailedIn(tx, this.deps, {
          bytes: row.body,
          signedBy: row.signed_by,
          receivedAtMs: row.received_at_ms,
          reason,
        }),
      )
    }
    this.moved([{ taken, organizations: new Set() }])
  }

  /** Notes what is committed. */
  private moved(moved: Moved[]): void {
    const times = this.deps.answerTimes
    times.forget()
    for (const { taken, organizations } of moved) {
      if (taken.tookMs !== null) times.note(organizations, taken.receivedAtMs, taken.tookMs)
      if (taken.delivery) this.keptBytes -= taken.sizeBytes
      if (taken.key !== undefined) this.dropFirst(taken.key)
    }
  }

  /** Takes the first one off a queue, which then stands behind the others. */
  private dropFirst(key: string): void {
    const queue = this.queues.get(key)
    this.queues.delete(key)
    if (!queue) return
    queue.drop()
    this.waiting -= 1
    if (queue.length > 0) this.queues.set(key, queue)
  }

  /** The next deliveries: of each queue one, then of each another one. */
  private next(): StoredDelivery[] {
    const batch: StoredDelivery[] = []
    for (let nth = 0; batch.length < MAX_BATCH; nth += 1) {
      const before = batch.length
      for (const queue of this.queues.values()) {
        const taken = queue.at(nth)
        if (taken && batch.length < MAX_BATCH) batch.push(taken)
      }
      if (batch.length === before) break
    }
    return batch
  }

  /** What is to be moved in the order it came, the oldest first. */
  private left(): StoredDelivery[] {
    const upTo = this.look()
    if (upTo === 0) return []
    const rows = this.deps.db.sqlite
      .query<{ id: number; receivedAtMs: number }, [number, number]>(
        'select id, received_at_ms as receivedAtMs from inbound_intake where id <= ? order by id limit ?',
      )
      .all(upTo, MAX_BATCH)
    if (rows.length === 0) this.inOrderUpTo = 0
    return rows.map((row) => ({ ...row, delivery: null, sizeBytes: 0, tookMs: null }))
  }

  private rowOf(id: number): Row | null {
    return this.deps.db.sqlite
      .query<Row, [number]>('select * from inbound_intake where id = ?')
      .get(id)
  }

  private deleteIn(tx: Tx, moved: Pick<Moved, 'taken'>[]): void {
    void tx // one connection: the statement runs inside the transaction that `tx` proves to be open
    const ids = JSON.stringify(moved.map(({ taken }) => taken.id))
    this.deps.db.sqlite
      .query('delete from inbound_intake where id in (select value from json_each(?))')
      .run(ids)
  }
}

/** A delivery that was moved, and whom it concerns. */
interface Moved {
  taken: StoredDelivery
  organizations: Set<string | null>
}

/** What changes of one queue have in common, seen without the database. */
const placeInTurns = (change: ReadChange): string =>
  `${queueOfChange(change)} ${change.phoneNumberId ?? change.businessId}`

const deliveryOf = (row: Row): SignedDelivery =>
  verifiedDelivery(
    row.body,
    row.signed_by,
    row.trusted === null ? null : (JSON.parse(row.trusted) as string[]),
  )

/**
 * Deliveries in the order they came; its beginning is cut off now and then, not each time one
 * leaves.
 */
class Queue {
  private items: StoredDelivery[] = []
  private begin = 0

  get length(): number {
    return this.items.length - this.begin
  }

  push(taken: StoredDelivery): void {
    this.items.push(taken)
  }

  at(nth: number): StoredDelivery | undefined {
    return this.items[this.begin + nth]
  }

  /** Forgets the first one. */
  drop(): void {
    this.begin += 1
    if (this.begin < MAX_FORGOTTEN || this.begin * 2 < this.items.length) return
    this.items = this.items.slice(this.begin)
    this.begin = 0
  }
}

const MAX_FORGOTTEN = 1_024
