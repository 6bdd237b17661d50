import { and, asc, eq, inArray, isNotNull, isNull, lte, or, sql, type SQL } from 'drizzle-orm'

import { MINUTE_MS } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { longPage, readCursor } from '../../lib/page'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { MAX_COUNTED } from '../../infra/bounded-list'
import { yieldToEventLoop } from '../../infra/event-loop'
import { afterKey } from '../../infra/keyset-pagination'
import { contacts } from '../contacts/table'
import { isVisibleIn, masksNumbers, seesGeneralQueue } from '../contacts/visibility'
import { activeTeamsOf } from '../teams/find'
import { teamMembers } from '../teams/table'
import { isActiveTransfer } from './find'
import { loadHistory, loadTransferViews } from './load-views'
import type { TransferDetails, TransferList } from './model'
import type { TransferRow } from './rules'
import { transfers } from './table'

/** Filters and page of a list of transfers. */
export interface TransferQuery {
  page: number
  limit: number
  cursor?: string | undefined
  status?: TransferRow['status'] | undefined
  /** A team ID, or `general` for the general queue. */
  teamId?: string | undefined
  agentId?: string | undefined
  contactId?: string | undefined
  sla?: 'breached' | 'due' | undefined
}

const ofContact = and(
  eq(contacts.organizationId, transfers.organizationId),
  eq(contacts.id, transfers.contactId),
)

/**
 * Returns the condition that limits a query to transfers the caller may list: own ones, the queues
 * of own teams and the general queue; all with `transfers:assign`. Their contacts must be visible.
 */
const listableBy = (ctx: Ctx): SQL | undefined => and(isListable(ctx), hasVisibleContact(ctx))

function isListable(ctx: Ctx): SQL | undefined {
  if (hasPermission(ctx.actor, 'transfers:assign')) return undefined
  const userId = ctx.actor.userId ?? ''
  const ownTeams = ctx.db.orm
    .select({ id: teamMembers.teamId })
    .from(teamMembers)
    .where(inOrganization(ctx, teamMembers, eq(teamMembers.userId, userId)))
  return or(
    eq(transfers.agentId, userId),
    and(
      isNull(transfers.agentId),
      or(isNull(transfers.teamId), inArray(transfers.teamId, ownTeams)),
    ),
  )
}

/**
 * Returns the condition that the contact of a transfer is visible. The transfer itself tells of most
 * (cases 3 to 5 of `contacts/visibility.ts`), so that only the others are looked up.
 */
function hasVisibleContact(ctx: Ctx): SQL | undefined {
  const isVisible = isVisibleIn(ctx, transfers.contactId)
  if (isVisible === undefined || !hasPermission(ctx.actor, 'contacts:read')) return isVisible
  const userId = ctx.actor.userId ?? ''
  const teamIds = activeTeamsOf(ctx, userId)
  const isOwn = or(
    eq(transfers.agentId, userId),
    seesGeneralQueue(ctx) ? and(isNull(transfers.agentId), isNull(transfers.teamId)) : undefined,
    teamIds.length === 0
      ? undefined
      : and(isNull(transfers.agentId), inArray(transfers.teamId, teamIds)),
  )
  return or(and(isActiveTransfer, isOwn), isVisible)
}

/** A deadline in less than this time is due, in milliseconds. */
const DUE_MS = 15 * MINUTE_MS

function slaFilter(ctx: Ctx, sla: TransferQuery['sla']): SQL | undefined {
  if (sla === undefined) return undefined
  if (sla === 'breached') return isNotNull(transfers.breachedAtMs)
  const untilMs = ctx.clock.nowMs() + DUE_MS
  return and(
    isActiveTransfer,
    isNull(transfers.pausedAtMs),
    isNull(transfers.breachedAtMs),
    or(
      and(isNull(transfers.firstResponseAtMs), lte(transfers.responseDueAtMs, untilMs)),
      lte(transfers.resolutionDueAtMs, untilMs),
    ),
  )
}

function matching(ctx: Ctx, query: TransferQuery): SQL | undefined {
  const { status, teamId, agentId, contactId } = query
  return and(
    isNull(contacts.deletedAtMs),
    listableBy(ctx),
    status === undefined ? undefined : eq(transfers.status, status),
    teamId === undefined
      ? undefined
      : teamId === 'general'
        ? isNull(transfers.teamId)
        : eq(transfers.teamId, teamId),
    agentId === undefined
      ? undefined
      : eq(transfers.agentId, agentId === 'me' ? (ctx.actor.userId ?? '') : agentId),
    contactId === undefined ? undefined : eq(transfers.contactId, contactId),
    slaFilter(ctx, query.sla),
  )
}

/**
 * Returns a page of the transfers the caller may list: active ones first, oldest first, then ended
 * ones, newest first. Adds the lengths of the queues.
 */
export async function listTransfers(ctx: Ctx, query: TransferQuery): Promise<TransferList> {
  const { page, limit, cursor } = query
  const matches = matching(ctx, query)
  const beyond =
    cursor === undefined
      ? undefined
      : afterKey({ value: transfers.sortKey, id: transfers.id }, readCursor(cursor), 'asc')
  const rows = ctx.db.orm
    .select({ id: transfers.id, value: transfers.sortKey })
    .from(transfers)
    .innerJoin(contacts, ofContact)
    .where(inOrganization(ctx, transfers, matches, beyond))
    .orderBy(asc(transfers.sortKey), asc(transfers.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()
  await yieldToEventLoop()
  const queues = queueCounts(ctx)
  await yieldToEventLoop()
  const { items, ...totals } = longPage(rows, query, {
    view: (shown) =>
      loadTransferViews(
        ctx,
        shown.map(({ id }) => id),
        masksNumbers(ctx),
      ),
    cursorKeyOf: (row) => row,
    total: () => countMatching(ctx, matches),
  })
  return { transfers: items, ...totals, ...queues }
}

/** Returns the number of matching transfers; `null` above 10,000, where counting takes too long. */
function countMatching(ctx: Ctx, matches: SQL | undefined): number | null {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(transfers)
    .innerJoin(contacts, ofContact)
    .where(inOrganization(ctx, transfers, matches))
    .limit(MAX_COUNTED + 1)
    .as('some')
  const rows =
    ctx.db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(some)
      .get()?.rows ?? 0
  return rows > MAX_COUNTED ? null : rows
}

/** Returns the numbers of waiting transfers in the queues that the caller may list. */
function queueCounts(ctx: Ctx): Pick<TransferList, 'general_queue_count' | 'team_queue_counts'> {
  const rows = ctx.db.orm
    .select({ teamId: transfers.teamId, waiting: sql<number>`count(*)` })
    .from(transfers)
    .where(
      inOrganization(ctx, transfers, isActiveTransfer, isNull(transfers.agentId), isCounted(ctx)),
    )
    .groupBy(transfers.teamId)
    .all()
  return {
    general_queue_count: rows.find(({ teamId }) => teamId === null)?.waiting ?? 0,
    team_queue_counts: Object.fromEntries(
      rows.flatMap(({ teamId, waiting }) => (teamId === null ? [] : [[teamId, waiting]])),
    ),
  }
}

/**
 * Returns the condition that the caller may list a waiting transfer. In the queues of most callers
 * every contact is visible (cases 4 and 5 of `contacts/visibility.ts`), so that the index is enough.
 */
function isCounted(ctx: Ctx): SQL | undefined {
  const seesQueues = hasPermission(ctx.actor, 'contacts:read') && seesGeneralQueue(ctx)
  if (!seesQueues || hasPermission(ctx.actor, 'transfers:assign')) return listableBy(ctx)
  const teamIds = activeTeamsOf(ctx, ctx.actor.userId ?? '')
  return or(
    isNull(transfers.teamId),
    teamIds.length === 0 ? undefined : inArray(transfers.teamId, teamIds),
  )
}

/** Returns the row of a transfer the caller may list. Throws NotFoundError. */
export function getListableTransfer(ctx: Ctx, id: string): TransferRow {
  const found = ctx.db.orm
    .select({ transfer: transfers })
    .from(transfers)
    .innerJoin(contacts, ofContact)
    .where(
      inOrganization(
        ctx,
        transfers,
        eq(transfers.id, id),
        isNull(contacts.deletedAtMs),
        listableBy(ctx),
      ),
    )
    .get()
  if (!found) throw new NotFoundError('Transfer')
  return found.transfer
}

/** Returns a transfer with its history if the caller may list it. Throws NotFoundError. */
export function getTransfer(ctx: Ctx, id: string): TransferDetails {
  const row = getListableTransfer(ctx, id)
  const [view] = loadTransferViews(ctx, [row.id], masksNumbers(ctx))
  if (!view) throw new NotFoundError('Transfer')
  return { ...view, history: loadHistory(ctx, id) }
}
