import {
  and,
  asc,
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

import { MINUTE_MS } from '../../lib/clock'
import { longPage, readCursor, totalAtEnd, type CursorKey } from '../../lib/page'
import { MAX_COUNTED } from '../../infra/bounded-list'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { inSlices, yieldToEventLoop } from '../../infra/event-loop'
import { afterKey } from '../../infra/keyset-pagination'
import { contacts } from '../contacts/table'
import { masksNumbers, seesAll, seesGeneralQueue } from '../contacts/visibility'
import { activeTeamsOf } from '../teams/find'
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
  matches: SQL
}

function matching(ctx: Ctx, query: TransferQuery): Matching {
  const { status, teamId, agentId, contactId } = query
  const chosen = [
    contactId === undefined ? undefined : eq(transfers.contactId, contactId),
    agentId === undefined
      ? undefined
      : eq(transfers.agentId, agentId === 'me' ? (ctx.actor.userId ?? '') : agentId),
    teamId === undefined
      ? undefined
      : teamId === 'general'
        ? isNull(transfers.teamId)
        : eq(transfers.teamId, teamId),
    status === undefined ? undefined : eq(transfers.status, status),
  ].filter((condition) => condition !== undefined)
  const [along, ...rest] = chosen
  const matches = and(...rest, isOfLiveContact(ctx), listableBy(ctx), slaFilter(ctx, query.sla))
  return { along, matches: matches ?? sql`1` }
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

const POSITION = { value: transfers.sortKey, id: transfers.id }

/** Transfers of an index that one statement tests; about two milliseconds. */
const PART = 2_000

/**
 * Reads transfers along an index of the list, a part at a time, so that other requests have their
 * turn, until `read` returns `true`. It receives the condition of a part.
 */
async function readInParts(
  ctx: Ctx,
  { along, after: start }: { along: SQL | undefined; after?: CursorKey | undefined },
  read: (part: SQL | undefined) => boolean,
): Promise<void> {
  let after = start && afterKey(POSITION, start, 'asc')
  await inSlices(ctx, () => {
    const end = ctx.db.orm
      .select(POSITION)
      .from(transfers)
      .where(inOrganization(ctx, transfers, along, after))
      .orderBy(asc(transfers.sortKey), asc(transfers.id))
      .limit(1)
      .offset(PART - 1)
      .get()
    const isDone = read(and(along, after, end && upTo(end)))
    after = end && afterKey(POSITION, end, 'asc')
    return isDone || end === undefined
  })
}

/** Returns the condition for rows up to a position in the list. */
const upTo = ({ value, id }: { value: number; id: string }): SQL =>
  sql`(${transfers.sortKey}, ${transfers.id}) <= (${value}, ${sql.param(id, transfers.id)})`

/**
 * Returns a page of the transfers the caller may list: active ones first, oldest first, then ended
 * ones, newest first. Adds the lengths of the queues.
 */
export async function listTransfers(ctx: Ctx, query: TransferQuery): Promise<TransferList> {
  const { cursor } = query
  const wanted = matching(ctx, query)
  const positions = await readPage(ctx, wanted, query)
  const isCounted = cursor === undefined && totalAtEnd(positions.length, query) === null
  const total = isCounted ? await countMatching(ctx, wanted) : null
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

/** Returns the positions of a page, and the one after it. */
async function readPage(
  ctx: Ctx,
  { along, matches }: Matching,
  { page, limit, cursor }: TransferQuery,
): Promise<CursorKey[]> {
  const found: CursorKey[] = []
  let skipped = cursor === undefined ? (page - 1) * limit : 0
  const after = cursor === undefined ? undefined : readCursor(cursor)
  await readInParts(ctx, { along, after }, (part) => {
    const rows = ctx.db.orm
      .select(POSITION)
      .from(transfers)
      .where(inOrganization(ctx, transfers, part, matches))
      .orderBy(asc(transfers.sortKey), asc(transfers.id))
      .limit(skipped + limit + 1 - found.length)
      .all()
    found.push(...rows.slice(skipped))
    skipped = Math.max(0, skipped - rows.length)
    return found.length > limit
  })
  return found
}

/** Returns the number of matching transfers; `null` above 10,000, where counting takes too long. */
async function countMatching(ctx: Ctx, { along, matches }: Matching): Promise<number | null> {
  let total = 0
  await readInParts(ctx, { along }, (part) => {
    const counted = ctx.db.orm
      .select({ rows: count() })
      .from(transfers)
      .where(inOrganization(ctx, transfers, part, matches))
      .get()
    total += counted?.rows ?? 0
    return total > MAX_COUNTED
  })
  return total > MAX_COUNTED ? null : total
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
  await readInParts(ctx, { along: isActiveTransfer }, (part) => {
    for (const [teamId, waiting] of countAlong(ctx, and(part, isListable)))
      counts.set(teamId, (counts.get(teamId) ?? 0) + waiting)
    return false
  })
  return counts
}
