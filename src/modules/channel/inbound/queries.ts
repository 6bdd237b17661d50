import { and, desc, eq, inArray, min, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { ForbiddenError, NotFoundError } from '../../../lib/errors'
import { longPage, readCursor, type LongPage } from '../../../lib/page'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import { afterKey } from '../../../infra/keyset-pagination'
import { totalOf } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { InboundEventDetails, InboundEventView } from './model'
import { inboundBodies, inboundEvents, inboundStaging, isNotDone } from './table'
import type { InboundEventRow } from './journal/row'
import { receivedWithin } from './select'

/** Returns when the oldest delivery was received that is not processed yet; `null` if all are. */
export function oldestWaitingMs({ db }: Pick<Ctx, 'db'>): number | null {
  const staged = db.orm
    .select({ atMs: min(inboundStaging.receivedAtMs) })
    .from(inboundStaging)
    .get()
  const journaled = db.orm
    .select({ atMs: min(inboundEvents.receivedAtMs) })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a delivery that waits has no organization yet',
        and(isNotDone, inArray(inboundEvents.state, ['pending', 'processing'])),
      ),
    )
    .get()
  const oldest = Math.min(staged?.atMs ?? Infinity, journaled?.atMs ?? Infinity)
  return Number.isFinite(oldest) ? oldest : null
}

/** Filters for the list of changes. */
export interface InboundQuery {
  page: number
  limit: number
  cursor?: string | undefined
  state?: InboundEventRow['state'] | undefined
  field?: string | undefined
  accountId?: string | undefined
  /** Start and end of the time of receipt, inclusive, ISO 8601. */
  from?: string | undefined
  to?: string | undefined
}

/**
 * Returns the SQL condition that limits a query to the changes the caller may see: those of its
 * organization, or all, including unrouted ones, for a super admin.
 */
const visibleChanges = (ctx: ReadCtx, ...conditions: (SQL | undefined)[]): SQL | undefined =>
  ctx.actor.isSuperAdmin
    ? acrossOrganizations('a super admin sees all changes', and(...conditions))
    : inOrganization(ctx, inboundEvents, ...conditions)

const selectVisible = (ctx: ReadCtx, ...conditions: (SQL | undefined)[]) =>
  ctx.db.orm
    .select({ event: inboundEvents, digest: inboundBodies.digest })
    .from(inboundEvents)
    .innerJoin(inboundBodies, eq(inboundBodies.id, inboundEvents.bodyId))
    .where(visibleChanges(ctx, ...conditions))

/** Returns a page of changes, newest first. Throws InvalidError for an invalid time. */
export function listInboundEvents(ctx: ReadCtx, query: InboundQuery): LongPage<InboundEventView> {
  const filter = and(
    query.state === undefined ? undefined : eq(inboundEvents.state, query.state),
    query.state === undefined || query.state === 'done' ? undefined : isNotDone,
    query.field === undefined ? undefined : eq(inboundEvents.field, query.field),
    query.accountId === undefined ? undefined : eq(inboundEvents.accountId, query.accountId),
    receivedWithin(query, 'query'),
  )
  const key = { value: inboundEvents.receivedAtMs, id: inboundEvents.id }
  const isAfter =
    query.cursor === undefined ? undefined : afterKey(key, readCursor(query.cursor), 'desc')
  const rows = selectVisible(ctx, filter, isAfter)
    .orderBy(desc(inboundEvents.receivedAtMs), desc(inboundEvents.id))
    .limit(query.limit + 1)
    .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
    .all()
  return longPage(rows, query, {
    view: (shown) => shown.map(({ event, digest }) => eventView(event, digest)),
    cursorKeyOf: ({ event }) => ({ value: event.receivedAtMs, id: event.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(inboundEvents)
          .where(visibleChanges(ctx, filter)),
        { isFiltered: filter !== undefined },
      ),
  })
}

/** Returns a change as the API shows it. */
export const eventView = (event: InboundEventRow, digest: string): InboundEventView => ({
  id: event.id,
  received_at: isoTime(event.receivedAtMs),
  field: event.field,
  account_id: event.accountId,
  phone_number_id: event.phoneNumberId,
  business_id: event.businessId,
  state: event.state,
  reason: event.reason,
  attempts: event.attempts,
  items: {
    messages: event.messages,
    statuses: event.statuses,
    errors: event.errors,
    other: event.other,
  },
  last_error: event.lastError,
  processed_at: isoTimeOrNull(event.processedAtMs),
  digest,
})

/**
 * Returns the change if the caller may see it, with the digest of its delivery. Throws
 * NotFoundError.
 */
export function getEventRow(ctx: Ctx, id: string): { event: InboundEventRow; digest: string } {
  const row = selectVisible(ctx, eq(inboundEvents.id, id)).get()
  if (!row) throw new NotFoundError('Inbound event')
  return row
}

/**
 * Returns one change. Includes the raw change for super admins only. Throws NotFoundError, and
 * ForbiddenError `super_admin_required`.
 */
export function getInboundEvent(
  ctx: Ctx,
  id: string,
  options: { includesRaw: boolean },
): InboundEventDetails {
  if (options.includesRaw && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only super admins can read raw deliveries.', {
      code: 'super_admin_required',
    })
  const { event, digest } = getEventRow(ctx, id)
  const raw = options.includesRaw
    ? (ctx.recentBodies.read(ctx, event.bodyId).changeAt(event.entryIndex, event.changeIndex)
        ?.value ?? null)
    : null
  return {
    ...eventView(event, digest),
    outcomes: JSON.parse(event.outcomes) as InboundEventDetails['outcomes'],
    raw,
  }
}
