import { INSTALLATION, systemCtx, type Deps } from '../../../../infra/ctx'
import { onCommit, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { readChanges, type ReadChange } from '../../../../platform/webhook/body'
import { organizationByPhoneId, routeByBusinessId } from '../../accounts/queries'
import { passOnIn } from '../cells/pass-on'
import { unpackedBody } from './bodies'
import { countIn } from '../stats/hourly'
import { insertMissingIn } from './missing-numbers'
import { writeEventIn, type InboundEventRow } from './row'
import { orderKeyOf } from '../process/items'
import { PROCESS_JOBS } from '../jobs'
import { routeOf } from '../process/route'
import { queueOf, NOT_SIGNED_FOR } from '../select'

/** A change of a delivery to store as a row. */
export interface ChangeToStore {
  bodyId: number
  receivedAtMs: number
  change: ReadChange
  /** The organization it seems to belong to. */
  organizationId: string | null
  /** Why the change is ignored; `null` if it is to be processed. */
  ignoredFor: string | null
}

/** The label of each queue in metrics. */
const KIND_OF_QUEUE = {
  inbound: 'message',
  'inbound-status': 'status',
  'inbound-account': 'account',
} as const

/**
 * Returns the organization a change seems to belong to, or `null`. Used for fairness and statistics
 * only; processing routes the change.
 */
export function hintOf(deps: Deps, change: ReadChange): string | null {
  if (change.phoneNumberId !== null) return organizationByPhoneId(deps, change.phoneNumberId)
  const accounts =
    change.businessId === null || change.field === 'messages'
      ? []
      : routeByBusinessId(deps, change.businessId)
  const [first, ...others] = new Set(accounts.map(({ organizationId }) => organizationId))
  return first !== undefined && others.length === 0 ? first : null
}

/** Returns the job queue that processes a change. */
export const queueOfChange = ({ field, value }: ReadChange): ReturnType<typeof queueOf> =>
  queueOf({ field, messages: countOf(value, 'messages'), statuses: countOf(value, 'statuses') })

/**
 * Returns the row of a change without inserting it. Counts the change in the metrics after the
 * caller's transaction commits.
 */
export function eventOf(tx: Tx, deps: Deps, { change, ...what }: ChangeToStore): InboundEventRow {
  const kind = what.ignoredFor === null ? KIND_OF_QUEUE[queueOfChange(change)] : 'ignored'
  onCommit(tx, () => deps.metrics.inboundEvents.inc({ kind }))
  return {
    id: deps.ids.next(),
    bodyId: what.bodyId,
    entryIndex: change.entryIndex,
    changeIndex: change.changeIndex,
    receivedAtMs: what.receivedAtMs,
    field: change.field,
    phoneNumberId: change.phoneNumberId,
    businessId: change.businessId,
    organizationId: null,
    accountId: null,
    state: what.ignoredFor === null ? 'pending' : 'ignored',
    reason: what.ignoredFor,
    attempts: 0,
    messages: 0,
    statuses: 0,
    errors: 0,
    other: 0,
    outcomes: '[]',
    lastError: null,
    processedAtMs: null,
  }
}

/** Inserts the row of a change, in the caller's transaction. Returns its ID. */
export function insertEventIn(tx: Tx, deps: Deps, what: ChangeToStore): string {
  const row = eventOf(tx, deps, what)
  writeEventIn(tx, deps, row)
  return row.id
}

/** Whether a body is about a WhatsApp business account. */
export const isWhatsAppBody = (body: unknown): boolean =>
  (body as { object?: unknown } | null)?.object === 'whatsapp_business_account'

/** Reason for ignoring a body about another kind of object. */
export const UNKNOWN_OBJECT = 'unknown_object'

/**
 * Stores the changes of a later part of a delivery as rows and enqueues a job for each, in the
 * caller's transaction.
 */
export function enterChangesIn(
  tx: Tx,
  deps: Deps,
  from: { id: number; receivedAtMs: number; signedBy: string; cell: string },
): void {
  const { id: bodyId, receivedAtMs, signedBy, cell } = from
  const body = unpackedBody(deps, bodyId)
  const isOurs = isWhatsAppBody(body)
  const signed: ReadChange[] = []
  for (const change of readChanges(body)) {
    const ignoredFor = !isOurs
      ? UNKNOWN_OBJECT
      : routeOf(deps, change, signedBy).isForged
        ? NOT_SIGNED_FOR
        : null
    const organizationId = ignoredFor === null ? hintOf(deps, change) : null
    countIn(tx, deps, { organizationId, receivedAtMs, received: 1 })
    const event = eventOf(tx, deps, { bodyId, receivedAtMs, change, organizationId, ignoredFor })
    writeEventIn(tx, deps, event)
    if (ignoredFor !== null) continue
    insertMissingIn(tx, deps, { event, change, cell })
    signed.push(change)
    const orderingKey = orderKeyOf(change)
    enqueue(
      tx,
      systemCtx(deps, organizationId ?? INSTALLATION),
      PROCESS_JOBS[queueOfChange(change)],
      {
        args: { eventId: event.id, from: 0 },
        ...(orderingKey === null ? {} : { orderingKey }),
      },
    )
  }
  if (cell === '') passOnIn(tx, deps, { bodyId, changes: signed })
}

const countOf = (value: unknown, list: 'messages' | 'statuses'): number => {
  const items = (value as Record<string, unknown> | null)?.[list]
  return Array.isArray(items) ? items.length : 0
}
