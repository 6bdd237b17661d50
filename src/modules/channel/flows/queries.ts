import { and, count, desc, eq, getTableColumns, isNull } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { holdsText } from '../../../infra/search-keys'
import type { FlowExchangeView, FlowSummary, STATUSES, FlowView } from './model'
import { requireFlow } from './state'
import { flowExchanges, flows } from './table'
import { flowSummary, flowView } from './view'

/** Filters and page of a Flow list. */
export interface FlowQuery {
  page: number
  limit: number
  status?: (typeof STATUSES)[number] | undefined
  accountId?: string | undefined
  search?: string | undefined
}

const { definition: _long, ...SUMMARY_COLUMNS } = getTableColumns(flows)

/** Returns Flows, newest first. */
export function listFlows(ctx: Ctx, query: FlowQuery): Page<FlowSummary> {
  const filter = inOrganization(
    ctx,
    flows,
    and(
      isNull(flows.deletedAtMs),
      query.status === undefined ? undefined : eq(flows.status, query.status),
      query.accountId === undefined ? undefined : eq(flows.accountId, query.accountId),
      query.search === undefined ? undefined : holdsText(flows.nameKey, query.search),
    ),
  )
  const rows = ctx.db.orm
    .select(SUMMARY_COLUMNS)
    .from(flows)
    .where(filter)
    .orderBy(desc(flows.createdAtMs), desc(flows.id))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(flows).where(filter).get()?.rows ??
    0
  return numberedPage(rows.slice(0, query.limit).map(flowSummary), total, query)
}

/** Returns recent data exchanges of a Flow, newest first. Throws NotFoundError. */
export function listExchanges(
  ctx: Ctx,
  id: string,
  query: { page: number; limit: number },
): Page<FlowExchangeView> {
  requireFlow(ctx, id)
  const filter = inOrganization(ctx, flowExchanges, eq(flowExchanges.flowId, id))
  const rows = ctx.db.orm
    .select()
    .from(flowExchanges)
    .where(filter)
    .orderBy(desc(flowExchanges.id))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(flowExchanges).where(filter).get()?.rows ??
    0
  const items = rows.slice(0, query.limit).map((row) => ({
    at: isoTime(row.atMs),
    action: row.action,
    screen: row.screen,
    outcome: row.outcome,
    duration_ms: row.durationMs,
    error: row.error,
  }))
  return numberedPage(items, total, query)
}

/** Returns a Flow. Throws NotFoundError. */
export const getFlow = (ctx: Ctx, id: string): FlowView => flowView(requireFlow(ctx, id))
