import { and, count, eq, exists, isNotNull, isNull, lte, or, sql, type SQL } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { longPage } from '../../../lib/page'
import { inOrganization } from '../../../infra/ctx'
import { placesOfPage, totalIn, type OrderedList } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contacts } from '../../inbox/contacts/table'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
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

function slaFilter(ctx: ReadCtx, sla: TransferQuery['sla']): SQL | undefined {
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

/** Returns the condition that a user has a transfer: by ID, `me`, or `none` for nobody. */
function isOfAgent(ctx: ReadCtx, agentId: string): SQL {
  if (agentId === 'none') return isNull(transfers.agentId)
  return eq(transfers.agentId, agentId === 'me' ? (ctx.actor.userId ?? '') : agentId)
}

/** Returns the list of the transfers that match, active ones first. */
function transfersInOrder(ctx: ReadCtx, query: TransferQuery): OrderedList {
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
  const filter = and(...chosen, isOfLiveContact(ctx), listableBy(ctx), slaFilter(ctx, query.sla))
  return {
    ...{ table: transfers, id: transfers.id, value: transfers.sortKey, order: 'asc' },
    ...{ filter: filter ?? sql`1`, parts: chosen.slice(0, 1), undatedParts: null },
  }
}

/** Transfers of deleted contacts are not listed. They have ended, so that others are not tested. */
const isOfLiveContact = (ctx: ReadCtx): SQL | undefined =>
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

/**
 * Returns a page of the transfers the caller may list: active ones first, oldest first, then ended
 * ones, newest first. Adds the lengths of the queues.
 */
export function transferPage(ctx: ReadCtx, query: TransferQuery): TransferList {
  const list = transfersInOrder(ctx, query)
  const { items, ...totals } = longPage(placesOfPage(ctx, list, query), query, {
    view: (shown) =>
      loadTransferViews(
        ctx,
        shown.map(({ id }) => id),
        masksNumbers(ctx),
      ),
    cursorKeyOf: ({ value, id }) => ({ value: Number(value), id }),
    total: () => totalIn(ctx, list),
  })
  return { transfers: items, ...totals, ...queueCounts(ctx) }
}

/** Returns the numbers of waiting transfers in the queues that the caller may list. */
function queueCounts(
  ctx: ReadCtx,
): Pick<TransferList, 'general_queue_count' | 'team_queue_counts'> {
  const waiting = waitingByTeam(ctx)
  return {
    general_queue_count: waiting.get(null) ?? 0,
    team_queue_counts: Object.fromEntries(
      [...waiting].flatMap(([teamId, rows]) => (teamId === null ? [] : [[teamId, rows]])),
    ),
  }
}

/** Returns the numbers of waiting transfers that the caller may list, by team. */
const waitingByTeam = (ctx: ReadCtx): Map<string | null, number> =>
  new Map(
    ctx.db.orm
      .select({ teamId: transfers.teamId, waiting: count() })
      .from(transfers)
      .where(
        inOrganization(
          ctx,
          transfers,
          isActiveTransfer,
          isNull(transfers.agentId),
          listableBy(ctx),
        ),
      )
      .groupBy(transfers.teamId)
      .all()
      .map(({ teamId, waiting }) => [teamId, waiting]),
  )
