import {
  and,
  asc,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/sqlite-core'

import { InvalidError } from '../../../lib/errors'
import { instantMs, isCalendarDate } from '../../../lib/instant'
import { acrossOrganizations, type Deps } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { organizations } from '../../organization/organizations/table'
import type { ReplayRequest } from './model'
import { inboundEvents, isNotDone } from './table'

/**
 * Parses a time of a request, epoch milliseconds. `path` names the field in the error. Throws
 * InvalidError for an invalid time.
 */
export const timeOf = (written: string | undefined, path: string): number | undefined => {
  if (written === undefined) return undefined
  const ms = isCalendarDate(written) ? Date.parse(written) : instantMs(written)
  if (ms === null)
    throw new InvalidError(`\`${path}\` is not a time.`, {
      code: 'invalid_input',
      errors: [{ path, message: 'is not a time' }],
    })
  return ms
}

/**
 * Returns the SQL condition for changes received in a period, inclusive. The path names the fields
 * in the error. Throws InvalidError for an invalid time.
 */
export function receivedWithin(
  span: { from?: string | undefined; to?: string | undefined },
  place: 'body' | 'query',
): SQL | undefined {
  const fromMs = timeOf(span.from, `${place}.from`)
  const toMs = timeOf(span.to, `${place}.to`)
  return and(
    fromMs === undefined ? undefined : gte(inboundEvents.receivedAtMs, fromMs),
    toMs === undefined ? undefined : lte(inboundEvents.receivedAtMs, toMs),
  )
}

/**
 * Reason of a change that is never processed: the signature of its delivery is not valid for it.
 */
export const NOT_SIGNED_FOR = 'not_signed_for'

/** Reason of a change that another cell has an account for and has stored. */
export const PASSED_ON = 'passed_on'

/**
 * Reason of an unrouted change that another cell passed on: that one has it in its journal, too, and counts it
 * if no cell has an account for it.
 */
export const RECEIVED_ELSEWHERE = 'received_elsewhere'

/** The organizations that are copied to another server, or are there. */
const LEAVING = new QueryBuilder()
  .select({ id: organizations.id })
  .from(organizations)
  .where(inArray(organizations.state, ['moving', 'moved']))

/**
 * Returns the SQL condition for the changes a request selects. Leaves out changes in progress, changes
 * without a valid signature, and those of organizations that move or have moved to another server.
 * Throws InvalidError for an invalid time.
 */
function chosenBy(request: ReplayRequest): SQL | undefined {
  return and(
    notInArray(inboundEvents.state, ['pending', 'processing']),
    or(isNull(inboundEvents.reason), ne(inboundEvents.reason, NOT_SIGNED_FOR)),
    or(isNull(inboundEvents.organizationId), notInArray(inboundEvents.organizationId, LEAVING)),
    request.state === undefined ? undefined : eq(inboundEvents.state, request.state),
    request.state === undefined || request.state === 'done' ? undefined : isNotDone,
    request.field === undefined ? undefined : eq(inboundEvents.field, request.field),
    request.phone_number_id === undefined
      ? undefined
      : eq(inboundEvents.phoneNumberId, request.phone_number_id),
    receivedWithin(request, 'body'),
  )
}

/** Changes made pending in one step. */
const AT_ONCE = 50

/** Columns of a change before it is processed (again). */
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

/** The columns of a change that is made pending again. */
export type Reopened = Pick<
  typeof inboundEvents.$inferSelect,
  'id' | 'organizationId' | 'field' | 'messages' | 'statuses'
>

/**
 * Returns the job queue of a change. Statuses of campaigns and account updates must not delay
 * incoming messages, so each kind has its own queue.
 */
export function queueOf(
  change: Pick<Reopened, 'field' | 'messages' | 'statuses'>,
): 'inbound' | 'inbound-status' | 'inbound-account' {
  if (change.field !== null && !CONVERSATION_FIELDS.has(change.field)) return 'inbound-account'
  return change.statuses > 0 && change.messages === 0 ? 'inbound-status' : 'inbound'
}

/** Fields that carry current conversations. */
const CONVERSATION_FIELDS = new Set([
  'messages',
  'smb_message_echoes',
  'standby',
  'messaging_handovers',
  'user_id_update',
  'calls',
])

/** Maximum number of changes scanned in one step, whether they match or not. */
const LOOKED_AT = 1_000

/** Returns the last of the next thousand changes after an ID, or `null` if fewer remain. */
const endOfStep = (deps: Pick<Deps, 'db'>, after: string): string | null =>
  deps.db.orm
    .select({ id: inboundEvents.id })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a super admin replays changes of all organizations',
        gt(inboundEvents.id, after),
      ),
    )
    .orderBy(asc(inboundEvents.id))
    .limit(1)
    .offset(LOOKED_AT - 1)
    .get()?.id ?? null

/** Returns the SQL condition for changes after an ID, and up to another ID if given. */
const between = (after: string, end: string | null): SQL | undefined =>
  and(gt(inboundEvents.id, after), end === null ? undefined : lte(inboundEvents.id, end))

/** Maximum number of changes that one request replays. */
export const MAX_REPLAYED = 100_000

/** Returns the number of changes a request selects, or one above `MAX_REPLAYED`. */
export function countChosen({ db }: Pick<ReadCtx, 'db'>, request: ReplayRequest): number {
  const some = db.orm
    .select({ one: sql`1`.as('one') })
    .from(inboundEvents)
    .where(
      acrossOrganizations('a super admin replays changes of all organizations', chosenBy(request)),
    )
    .limit(MAX_REPLAYED + 1)
    .as('some')
  return db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
}

/**
 * Makes up to 50 of the selected changes pending again, in the order of their IDs after `after`.
 * Scans up to a thousand changes. Returns the changes, and where to continue (`null` at the end).
 */
export function reopenIn(
  tx: Tx,
  deps: Pick<Deps, 'db'>,
  request: ReplayRequest,
  after: string,
): { reopened: Reopened[]; next: string | null } {
  const { id, organizationId, field, messages, statuses } = inboundEvents
  const end = endOfStep(deps, after)
  const reopened = tx
    .select({ id, organizationId, field, messages, statuses })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a super admin replays changes of all organizations',
        and(chosenBy(request), between(after, end)),
      ),
    )
    .orderBy(asc(inboundEvents.id))
    .limit(AT_ONCE)
    .all()
  const ids = reopened.map((row) => row.id)
  if (ids.length > 0)
    tx.update(inboundEvents)
      .set(FRESH)
      .where(
        acrossOrganizations(
          'a super admin replays changes of all organizations',
          inArray(inboundEvents.id, ids),
        ),
      )
      .run()
  return { reopened, next: reopened.length === AT_ONCE ? (ids.at(-1) ?? null) : end }
}
