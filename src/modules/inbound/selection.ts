import { and, asc, eq, gt, gte, inArray, isNull, lte, ne, notInArray, or, type SQL } from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { instantMs, isDay } from '../../lib/instant'
import type { Tx } from '../../infra/db'
import type { ReplayRequest } from './model'
import { inboundEvents } from './table'

/** A time of a request, epoch milliseconds; `path` names it in the refusal. Throws InvalidError for a time that is none. */
export const timeOf = (written: string | undefined, path: string): number | undefined => {
  if (written === undefined) return undefined
  const ms = isDay(written) ? Date.parse(written) : instantMs(written)
  if (ms === null)
    throw new InvalidError(`${path}: is not a time.`, { code: 'invalid_input', errors: [{ path, message: 'is not a time' }] })
  return ms
}

/** The condition for changes received in a span of time, ends included; `place` names the fields in the refusal. Throws InvalidError for a time that is none. */
export function receivedWithin(span: { from?: string | undefined; to?: string | undefined }, place: 'body' | 'query'): SQL | undefined {
  const fromMs = timeOf(span.from, `${place}.from`)
  const toMs = timeOf(span.to, `${place}.to`)
  return and(
    fromMs === undefined ? undefined : gte(inboundEvents.receivedAtMs, fromMs),
    toMs === undefined ? undefined : lte(inboundEvents.receivedAtMs, toMs),
  )
}

/** Why a change is never worked off: the signature of its delivery does not speak for it. */
export const NOT_SIGNED_FOR = 'not_signed_for'

/** The condition for the changes a request means; those under way and those nobody signed for are left out. Throws InvalidError for a time that is none. */
export function chosenBy(request: ReplayRequest): SQL | undefined {
  return and(
    notInArray(inboundEvents.state, ['pending', 'processing']),
    or(isNull(inboundEvents.reason), ne(inboundEvents.reason, NOT_SIGNED_FOR)),
    request.state === undefined ? undefined : eq(inboundEvents.state, request.state),
    request.field === undefined ? undefined : eq(inboundEvents.field, request.field),
    request.phone_number_id === undefined ? undefined : eq(inboundEvents.phoneNumberId, request.phone_number_id),
    receivedWithin(request, 'body'),
  )
}

const AT_ONCE = 250

/** What a change looks like before it is worked off (again). */
export const FRESH = {
  state: 'pending' as const,
  reason: null,
  processedAtMs: null,
  lastError: null,
  outcomes: '[]',
  messages: 0,
  statuses: 0,
  errors: 0,
  other: 0,
}

/** What is known of a change that goes back to work. */
export type Reopened = Pick<typeof inboundEvents.$inferSelect, 'id' | 'organizationId' | 'field' | 'messages' | 'statuses'>

/** On which lane a change is worked off: statuses of a campaign must not delay what customers write, nor must news about the account. */
export function laneOf(change: Pick<Reopened, 'field' | 'messages' | 'statuses'>): 'inbound' | 'inbound-status' | 'inbound-account' {
  if (change.field !== null && !CONVERSATION_FIELDS.has(change.field)) return 'inbound-account'
  return change.statuses > 0 && change.messages === 0 ? 'inbound-status' : 'inbound'
}

/** Fields whose changes are said in conversations now. */
const CONVERSATION_FIELDS = new Set(['messages', 'smb_message_echoes'])

/** Takes up to 250 of the changes a request means, in the order of their ids after `after`, back to pending. Returns them. */
export function reopenIn(tx: Tx, request: ReplayRequest, after: string | null): Reopened[] {
  const { id, organizationId, field, messages, statuses } = inboundEvents
  const rows = tx
    .select({ id, organizationId, field, messages, statuses })
    .from(inboundEvents)
    .where(and(chosenBy(request), after === null ? undefined : gt(inboundEvents.id, after)))
    .orderBy(asc(inboundEvents.id))
    .limit(AT_ONCE)
    .all()
  const ids = rows.map((row) => row.id)
  if (ids.length > 0) tx.update(inboundEvents).set(FRESH).where(inArray(inboundEvents.id, ids)).run()
  return rows
}
