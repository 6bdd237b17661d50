import { sql } from 'drizzle-orm'

import { sha256Hex } from '../../lib/hash'
import { INSTALLATION, systemCtx, type Deps } from '../../infra/ctx'
import { compiled, isLost, savepoint, type Tx } from '../../infra/db'
import { enqueue, isQueueFree } from '../../infra/jobs/enqueue'
import { readChanges, type ReadChange } from '../../platform/payload'
import { bodyOf, packBody, recentBodies } from './bodies'
import { countIn } from './hours'
import { orderKeyOf } from './items'
import { processJobs } from './jobs'
import { failChangeIn, processNewChangeIn, type Progress } from './process'
import { writeEventIn, type InboundEventRow } from './rows'
import { NOT_SIGNED_FOR } from './selection'
import { isTrusted, type SignedDelivery } from './signatures'
import { splitFurther } from './splitting/jobs'
import { eventOf, hintOf, insertEventIn, laneOfChange, type SplitOff } from './splitting/splitting'
import { inboundBodies } from './table'

/** A delivery that is to become rows of the journal. */
export interface Entering {
  bytes: Uint8Array
  delivery: SignedDelivery
  receivedAtMs: number
  /** Whether its change may be worked off at once, where nothing older waits. */
  isDirect: boolean
}

/**
 * Writes a delivery into the journal, in the caller's transaction: its body once, however often it comes, and a row for each change. What is one
 * change and has nothing older before it is worked off in the same transaction; everything else gets a job. Returns whom it seems to
 * concern.
 */
export function enterDeliveryIn(tx: Tx, deps: Deps, entering: Entering): Set<string | null> {
  const { bytes, delivery, receivedAtMs } = entering
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
  const routed = changes.map((change) => ({ change, organizationId: isOurs && isTrusted(delivery, change) ? hintOf(deps, change) : null }))
  const organizations = new Set(routed.map(({ organizationId }) => organizationId))
  for (const organizationId of organizations) {
    const received = routed.filter((one) => one.organizationId === organizationId).length
    countIn(tx, deps, { organizationId, receivedAtMs, received, duplicates: isNew ? 0 : received })
  }
  if (!isNew) return organizations
  const isWhole = readChanges(delivery.body, { from: delivery.changes.length, most: 1 }).length === 0
  if (isWhole) recentBodies(deps).keep(id, bodyOf(delivery.changes, delivery.signedBy), bytes.length)
  for (const one of routed) {
    const ignoredFor = delivery.changes.length === 0 ? 'no_changes' : isTrusted(delivery, one.change) ? null : NOT_SIGNED_FOR
    const isDirect = entering.isDirect && isWhole && changes.length === 1
    enterChangeIn(tx, deps, { bodyId: id, receivedAtMs, ...one, ignoredFor: isOurs ? ignoredFor : UNKNOWN_OBJECT }, isDirect)
  }
  if (!isWhole && isOurs)
    enqueue(tx, systemCtx(deps, INSTALLATION), splitFurther, { args: { bodyId: id, from: delivery.changes.length, receivedAtMs } })
  return organizations
}

/** Writes a change as a row of its own and works it off, or has a job work it off. */
function enterChangeIn(tx: Tx, deps: Deps, what: SplitOff, isDirect: boolean): void {
  const event = eventOf(tx, deps, what)
  const eventId = event.id
  if (what.ignoredFor !== null) return writeEventIn(tx, deps, event)
  const lane = laneOfChange(what.change)
  const serialKey = orderKeyOf(what.change)
  const ctx = systemCtx(deps, what.organizationId ?? INSTALLATION)
  const done = isDirect && isQueueFree(ctx, { lane, serialKey }) ? workOffIn(tx, deps, event) : null
  if (done === null || done.mustWait) writeEventIn(tx, deps, event)
  if (done !== null && done.next === null && !done.mustWait && done.shared.length === 0) return
  const from = done?.next ?? 0
  for (const other of done?.shared ?? [])
    enqueue(tx, systemCtx(deps, other.organizationId), processJobs[lane], { args: { eventId: other.eventId, from: 0 } })
  if (done === null || done.mustWait || done.next !== null)
    enqueue(tx, ctx, processJobs[lane], { args: { eventId, from }, ...(serialKey === null ? {} : { serialKey }) })
  return undefined
}

/** Works a change off as its job would and writes its row with what came of it, or does nothing where that fails: the job tries again. */
function workOffIn(tx: Tx, deps: Deps, event: InboundEventRow): Progress | null {
  try {
    return savepoint(tx, (inner) => processNewChangeIn(inner, deps, event))
  } catch (error) {
    if (isLost(error)) throw error
    deps.log.error({ error, event_id: event.id }, 'a change could not be worked off; a job tries again')
    return null
  }
}

/** Writes a delivery that nothing could be made of into the journal as a failed one, in the caller's transaction: it stays visible. */
export function enterFailedIn(tx: Tx, deps: Deps, at: { bytes: Uint8Array; signedBy: string; receivedAtMs: number; reason: string }): void {
  const { bytes, signedBy, receivedAtMs, reason } = at
  const bodyId = deps.ids.next()
  const body = { id: bodyId, receivedAtMs, digest: sha256Hex(bytes), signedBy, sizeBytes: bytes.length, body: packBody(bytes) }
  if (!insertBody(deps.db).get(body)) return
  const eventId = insertEventIn(tx, deps, { bodyId, receivedAtMs, change: NO_CHANGE, organizationId: null, ignoredFor: null })
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
