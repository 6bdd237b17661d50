import { sql } from 'drizzle-orm'

import { sha256Hex } from '../../../../lib/hash'
import { INSTALLATION, systemCtx, type Deps } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { isStorageError } from '../../../../infra/db/errors'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { isQueueFree } from '../../../../infra/jobs/queue-state'
import { splitBody, type PartLimits } from '../../../../platform/webhook/body-parts'
import { readChanges, type ReadChange } from '../../../../platform/webhook/body'
import { packBody } from '../../../../platform/webhook/pack-body'
import { passOnIn } from '../cells/pass-on'
import { bodyOf } from './bodies'
import { countIn } from '../stats/hourly'
import { orderKeyOf } from '../process/items'
import { PROCESS_JOBS, StoreBatchPart } from '../jobs'
import { processNewChangeIn } from '../process/process-change'
import { type Progress } from '../process/part'
import { failChangeIn } from '../process/progress'
import { insertMissingIn } from './missing-numbers'
import { writeEventIn, type InboundEventRow } from './row'
import { NOT_SIGNED_FOR } from '../select'
import { isSignedFor, type SignedDelivery } from '../verify-signature'
import {
  eventOf,
  hintOf,
  insertEventIn,
  isWhatsAppBody,
  queueOfChange,
  UNKNOWN_OBJECT,
  type ChangeToStore,
} from './split-batch'
import { inboundBodies } from '../table'

/** A delivery to store as rows of the journal. */
export interface NewDelivery {
  bytes: Uint8Array
  delivery: SignedDelivery
  receivedAtMs: number
  /** Whether its change may be processed immediately if no older change is queued. */
  isDirect: boolean
}

/**
 * Largest delivery that is stored in one piece. Larger ones are split into parts of at most this
 * size; only a single longer change exceeds it.
 */
const PART_LIMITS: PartLimits = { changes: 50, bytes: 64 * 1_024 }

/** Returns the parts in which a delivery is stored. Each part can be read on its own. */
function bodiesOf({ bytes, delivery }: NewDelivery): Uint8Array[] {
  const { length } = delivery.changes
  if (length <= 1 || (length <= PART_LIMITS.changes && bytes.length <= PART_LIMITS.bytes))
    return [bytes]
  return splitBody(delivery.body, PART_LIMITS).map((part) => Buffer.from(part))
}

/**
 * Stores a delivery in the journal, in the caller's transaction. Stores the body once even if the
 * platform repeats it. Stores the changes of the first part as rows; jobs store the other parts.
 * Processes a single change immediately if no older change is queued, and otherwise enqueues a job
 * for each change. Returns the organizations the delivery seems to concern.
 */
export function storeDeliveryIn(tx: Tx, deps: Deps, input: NewDelivery): Set<string | null> {
  const { bytes, delivery, receivedAtMs } = input
  const bodies = bodiesOf(input)
  const { signedBy, cell } = delivery
  const from = { receivedAtMs, digest: sha256Hex(bytes), signedBy, cell }
  const id = insertBodyIn(tx, deps, { ...from, part: 0, bytes: bodies[0] ?? bytes })
  const isNew = id !== null
  const first =
    isNew && bodies[0] && bodies.length > 1
      ? readChanges(JSON.parse(utf8(bodies[0])))
      : delivery.changes
  const isOurs = isWhatsAppBody(delivery.body)
  const routed = (first.length === 0 ? [NO_CHANGE] : first)
    .map((change, nth) => {
      const isProven = isSignedFor(delivery, delivery.changes[nth] ?? change)
      return { change, isProven, organizationId: isOurs && isProven ? hintOf(deps, change) : null }
    })
    // Another cell keeps the changes that it did not pass on.
    .filter(({ isProven }) => isProven || cell === '')
  const organizations = new Set(routed.map(({ organizationId }) => organizationId))
  for (const organizationId of organizations) {
    const received = routed.filter((one) => one.organizationId === organizationId).length
    countIn(tx, deps, { organizationId, receivedAtMs, received, duplicates: isNew ? 0 : received })
  }
  if (!isNew) return organizations
  deps.recentBodies.keep(id, bodyOf(first, from), bodies[0]?.length ?? 0)
  const isDirect = input.isDirect && bodies.length === 1 && routed.length === 1
  for (const { isProven, ...one } of routed) {
    const ignoredFor = first.length === 0 ? 'no_changes' : isProven ? null : NOT_SIGNED_FOR
    storeChangeIn(
      tx,
      deps,
      { bodyId: id, receivedAtMs, cell, ...one, ignoredFor: isOurs ? ignoredFor : UNKNOWN_OBJECT },
      isDirect,
    )
  }
  if (isOurs && cell === '')
    passOnIn(tx, deps, {
      bodyId: id,
      changes: routed.filter(({ isProven }) => isProven).map(({ change }) => change),
    })
  for (const [nth, part] of bodies.entries())
    if (nth > 0) insertBodyIn(tx, deps, { ...from, part: nth, bytes: part })
  if (bodies.length > 1)
    enqueue(tx, systemCtx(deps, INSTALLATION), StoreBatchPart, {
      args: { digest: from.digest, signedBy, cell, part: 1 },
    })
  return organizations
}

const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** Stores a change as a row, and processes it now or enqueues its job. */
function storeChangeIn(
  tx: Tx,
  deps: Deps,
  what: ChangeToStore & { cell: string },
  isDirect: boolean,
): void {
  const event = eventOf(tx, deps, what)
  const eventId = event.id
  if (what.ignoredFor !== null) return writeEventIn(tx, deps, event)
  insertMissingIn(tx, deps, { event, change: what.change, cell: what.cell })
  const queue = queueOfChange(what.change)
  const orderingKey = orderKeyOf(what.change)
  const ctx = systemCtx(deps, what.organizationId ?? INSTALLATION)
  const done =
    isDirect && isQueueFree(ctx, { queue, orderingKey }) ? processNowIn(tx, deps, event) : null
  if (done === null || done.mustWait) writeEventIn(tx, deps, event)
  if (done !== null && done.next === null && !done.mustWait && done.shared.length === 0) return
  const from = done?.next ?? 0
  for (const other of done?.shared ?? [])
    enqueue(tx, systemCtx(deps, other.organizationId), PROCESS_JOBS[queue], {
      args: { eventId: other.eventId, from: 0 },
    })
  if (done === null || done.mustWait || done.next !== null)
    enqueue(tx, ctx, PROCESS_JOBS[queue], {
      args: { eventId, from },
      ...(orderingKey === null ? {} : { orderingKey }),
    })
  return undefined
}

/**
 * Processes a change and stores its row with the result. Returns `null` and stores nothing if that
 * fails, so that a job retries it.
 */
function processNowIn(tx: Tx, deps: Deps, event: InboundEventRow): Progress | null {
  try {
    return savepoint(tx, (inner) => processNewChangeIn(inner, deps, event))
  } catch (error) {
    if (isStorageError(error)) throw error
    deps.log.error({ error, event_id: event.id }, 'webhook change failed; retrying in a job')
    return null
  }
}

/**
 * Stores a delivery that cannot be parsed as a failed change, in the caller's transaction, so that
 * it is visible in the journal.
 */
export function storeFailedIn(
  tx: Tx,
  deps: Deps,
  at: { bytes: Uint8Array; signedBy: string; cell: string; receivedAtMs: number; reason: string },
): void {
  const { bytes, signedBy, cell, receivedAtMs, reason } = at
  const bodyId = insertBodyIn(tx, deps, {
    bytes,
    receivedAtMs,
    digest: sha256Hex(bytes),
    signedBy,
    cell,
    part: 0,
  })
  if (bodyId === null) return
  const eventId = insertEventIn(tx, deps, {
    bodyId,
    receivedAtMs,
    change: NO_CHANGE,
    organizationId: null,
    ignoredFor: null,
  })
  failChangeIn(tx, deps, eventId, reason)
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

/**
 * Stores a body, in the caller's transaction. Returns its ID, or `null` if the body is already
 * stored.
 */
export function insertBodyIn(
  tx: Tx,
  deps: Deps,
  {
    bytes,
    ...row
  }: {
    bytes: Uint8Array
    receivedAtMs: number
    digest: string
    signedBy: string
    cell: string
    part: number
  },
): number | null {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  return (
    insertBody(deps.db).get({
      ...row,
      sizeBytes: bytes.length,
      body: packBody(bytes),
    })?.id ?? null
  )
}

const insertBody = compiled((orm) =>
  orm
    .insert(inboundBodies)
    .values({
      receivedAtMs: sql.placeholder('receivedAtMs'),
      digest: sql.placeholder('digest'),
      signedBy: sql.placeholder('signedBy'),
      cell: sql.placeholder('cell'),
      part: sql.placeholder('part'),
      sizeBytes: sql.placeholder('sizeBytes'),
      body: sql.placeholder('body'),
    })
    .onConflictDoNothing()
    .returning({ id: inboundBodies.id })
    .prepare(),
)
