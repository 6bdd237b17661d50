import {
  and,
  count,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { longPage } from '../../../lib/page'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { readInParts, readPageInParts, type PartedList } from '../../../infra/read-in-parts'
import { contacts } from '../../inbox/contacts/table'
import { masksNumbers, seesAll, seesGeneralQueue } from '../../inbox/contacts/visibility'
import { activeTeamsOf } from '../../inbox/teams/find'
import { isActiveTransfer } from './find'
import { loadTransferViews } from './load-views'
import type { TransferList } from './model'
import { listableBy } from './queries'
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
  /** A user ID, `me`, or `none`. */
  agentId?: string | undefined
  contactId?: string | undefined
  sla?: 'breached' | 'due' | undefined
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

/** The condition of one index of the list, and the other conditions of a query. */
interface Matching {
  along: SQL | undefined
  matches: SQL | undefined
}

/** Returns the condition that a user has a transfer: by ID, `me`, or `none` for nobody. */
function isOfAgent(ctx: Ctx, agentId: string): SQL {
  if (agentId === 'none') return isNull(transfers.agentId)
  return eq(transfers.agentId, agentId === 'me' ? (ctx.actor.userId ?? '') : agentId)
}

function matching(ctx: Ctx, query: TransferQuery): Matching {
  const { status, teamId, agentId, contactId } = query
  const chosen = [
    contactId === undefined ? undefined : eq(transfers.contactId, contactId),
    agentId === undefined ? undefined : isOfAgent(ctx, agentId),
    teamId === undefined
      ? undefined
      : teamId === 'general'
        ? isNull(transfers.teamId)
        : eq(transfers.teamId, teamId),
    status === undefined ? undefined : eq(transfers.status, status),
  ].filter((condition) => condition !== undefined)
  const [along, ...rest] = chosen
  const matches = and(...rest, isOfLiveContact(ctx), listableBy(ctx), slaFilter(ctx, query.sla))
  return { along, matches }
}

/** Transfers of deleted contacts are not listed. They have ended, so that others are not tested. */
const isOfLiveContact = (ctx: Ctx): SQL | undefined =>
  or(
    isActiveTransfer,
    exists(
      ctx.db.orm
        .select({ one: sql`1` })
        .from(contacts)
        .where(
          inOrganization(
            ctx,
            contacts,
            eq(contacts.id, transfers.contactId),
            isNull(contacts.deletedAtMs),
          ),
        ),
    ),
  )

/** Returns the list of transfers along the index of a condition. */
const listAlong = (along: SQL | undefined): PartedList => ({
  table: transfers,
  key: { value: transfers.sortKey, id: transfers.id },
  order: 'asc',
  along,
})

/**
 * Returns a page of the transfers the caller may list: active ones first, oldest first, then ended
 * ones, newest first. Adds the lengths of the queues.
 */
export async function listTransfers(ctx: Ctx, query: TransferQuery): Promise<TransferList> {
  const { along, matches } = matching(ctx, query)
  const { positions, total } = await readPageInParts(ctx, listAlong(along), matches, query)
  const queues = await queueCounts(ctx)
  await yieldToEventLoop()
  const { items, ...totals } = longPage(positions, query, {
    view: (shown) =>
      loadTransferViews(
        ctx,
        shown.map(({ id }) => id),
        masksNumbers(ctx),
      ),
    cursorKeyOf: (position) => position,
    total,
  })
  return { transfers: items, ...totals, ...queues }
}

/** Returns the numbers of waiting transfers in the queues that the caller may list. */
async function queueCounts(
  ctx: Ctx,
): Promise<Pick<TransferList, 'general_queue_count' | 'team_queue_counts'>> {
  const waiting = await waitingByTeam(ctx)
  return {
    general_queue_count: waiting.get(null) ?? 0,
    team_queue_counts: Object.fromEntries(
      [...waiting].flatMap(([teamId, rows]) => (teamId === null ? [] : [[teamId, rows]])),
    ),
  }
}

/**
 * Returns the numbers of waiting transfers that the caller may list, by team. In the queues of most
 * callers every contact is visible (cases 4 and 5 of `contacts/visibility.ts`), so that the index is
 * enough.
 */
async function waitingByTeam(ctx: Ctx): Promise<Map<string | null, number>> {
  if (seesAll(ctx.actor) && hasPermission(ctx.actor, 'transfers:assign'))
    return countAlong(ctx, undefined)
  const isSimple =
    hasPermission(ctx.actor, 'contacts:read') &&
    seesGeneralQueue(ctx) &&
    !hasPermission(ctx.actor, 'transfers:assign')
  if (!isSimple) return await countOneByOne(ctx)
  const teamIds = activeTeamsOf(ctx, ctx.actor.userId ?? '')
  const ofTeams = teamIds.length === 0 ? undefined : inArray(transfers.teamId, teamIds)
  return countAlong(ctx, or(isNull(transfers.teamId), ofTeams))
}

const countAlong = (ctx: Ctx, condition: SQL | undefined): Map<string | null, number> =>
  new Map(
    ctx.db.orm
      .select({ teamId: transfers.teamId, waiting: count() })
      .from(transfers)
      .where(inOrganization(ctx, transfers, isActiveTransfer, isNull(transfers.agentId), condition))
      .groupBy(transfers.teamId)
      .all()
      .map(({ teamId, waiting }) => [teamId, waiting]),
  )

/** Counts waiting transfers whose contacts are looked up one by one. */
async function countOneByOne(ctx: Ctx): Promise<Map<string | null, number>> {
  const counts = new Map<string | null, number>()
  const isListable = listableBy(ctx)
  await readInParts(ctx, listAlong(isActiveTransfer), undefined, (part) => {
    for (const [teamId, waiting] of countAlong(ctx, and(part, isListable)))
      counts.set(teamId, (counts.get(teamId) ?? 0) + waiting)
    return false
  })
  return counts
}
