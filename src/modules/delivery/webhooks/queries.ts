import { and, asc, count, desc, eq, gt, isNull, sql, type SQL } from 'drizzle-orm'

import { DAY_MS, isoTimeOrNull, SECOND_MS } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { numberedPage, type CursorKey, type Page } from '../../../lib/page'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { compiled, place } from '../../../infra/db/compiled'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { afterKey } from '../../../infra/keyset-pagination'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { EndpointStats, EndpointView, EndpointWithStats } from './model'
import type { DeliveryRow, EndpointRow } from './row'
import { MAX_WAITING } from './rules'
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookHours } from './table'
import { endpointView } from './view'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

const endpointById = compiled((orm) =>
  orm
    .select()
    .from(webhookEndpoints)
    .where(
      inOrganization(
        anyScope,
        webhookEndpoints,
        eq(webhookEndpoints.id, place(webhookEndpoints.id, 'id')),
      ),
    )
    .prepare(),
)

/** Returns an endpoint, deleted ones included, or `null`. */
export const findEndpoint = ({ db, organizationId }: Scope, id: string): EndpointRow | null =>
  endpointById(db).get({ organizationId, id }) ?? null

/** Columns that each delivery needs: all of them take three times as long to read. */
const TRAFFIC = {
  id: webhookEndpoints.id,
  concurrency: webhookEndpoints.concurrency,
  ratePerSecond: webhookEndpoints.ratePerSecond,
  deletedAtMs: webhookEndpoints.deletedAtMs,
  disabledAtMs: webhookEndpoints.disabledAtMs,
  failingSinceMs: webhookEndpoints.failingSinceMs,
  lastSuccessAtMs: webhookEndpoints.lastSuccessAtMs,
  downSinceMs: webhookEndpoints.downSinceMs,
  nextProbeAtMs: webhookEndpoints.nextProbeAtMs,
}

/** The part of an endpoint that decides whether a delivery may go, and that its success changes. */
export type EndpointTraffic = Pick<EndpointRow, keyof typeof TRAFFIC>

const trafficById = compiled((orm) =>
  orm
    .select(TRAFFIC)
    .from(webhookEndpoints)
    .where(
      inOrganization(
        anyScope,
        webhookEndpoints,
        eq(webhookEndpoints.id, place(webhookEndpoints.id, 'id')),
      ),
    )
    .prepare(),
)

/** Returns the part of an endpoint that each delivery needs, deleted ones included, or `null`. */
export const findEndpointTraffic = (
  { db, organizationId }: Scope,
  endpointId: string,
): EndpointTraffic | null => trafficById(db).get({ organizationId, id: endpointId }) ?? null

/** Returns the row of an endpoint. Throws NotFoundError. */
export function getEndpointRow(ctx: Scope, id: string): EndpointRow {
  const row = findEndpoint(ctx, id)
  if (row?.deletedAtMs !== null) throw new NotFoundError('Webhook endpoint')
  return row
}

/** Returns an endpoint as the API shows it. Throws NotFoundError. */
export const getEndpointView = (ctx: Ctx, id: string): EndpointView =>
  endpointView(getEndpointRow(ctx, id), ctx.clock.nowMs())

const liveEndpoints = compiled((orm) =>
  orm
    .select()
    .from(webhookEndpoints)
    .where(inOrganization(anyScope, webhookEndpoints, isNull(webhookEndpoints.deletedAtMs)))
    .orderBy(webhookEndpoints.id)
    .prepare(),
)

/** Returns the endpoints of the organization that are not deleted, oldest first. */
export const endpointsOf = ({ db, organizationId }: Scope): EndpointRow[] =>
  liveEndpoints(db).all({ organizationId })

/** Endpoints read at once. */
const PAGE = 100

/**
 * Yields the endpoints of all organizations, deleted ones included, one organization after the other.
 */
export async function* eachEndpoint({ db }: Pick<Ctx, 'db'>): AsyncGenerator<EndpointRow> {
  const { organizationId, id } = webhookEndpoints
  for (let last: EndpointRow | undefined; ; await yieldToEventLoop()) {
    const beyond =
      last &&
      sql`(${organizationId}, ${id}) > (${sql.param(last.organizationId, organizationId)}, ${sql.param(last.id, id)})`
    const page = db.orm
      .select()
      .from(webhookEndpoints)
      .where(
        inWorkingOrganizations(
          'scheduled work looks after all endpoints',
          webhookEndpoints,
          beyond,
        ),
      )
      .orderBy(organizationId, id)
      .limit(PAGE)
      .all()
    yield* page
    if (page.length < PAGE) return
    last = page.at(-1)
  }
}

/** Filters and page of the list of endpoints. */
export interface EndpointQuery {
  page: number
  limit: number
  search?: string | undefined
  state?: EndpointView['state'] | undefined
}

/** Returns a page of the endpoints by name. An organization has few of them. */
export function listEndpoints(ctx: Ctx, query: EndpointQuery): Page<EndpointView> {
  const { page, limit, search, state } = query
  const nowMs = ctx.clock.nowMs()
  const wanted = search === undefined ? null : foldText(search)
  const found = endpointsOf(ctx)
    .filter(
      ({ nameKey, url }) =>
        wanted === null || nameKey.includes(wanted) || foldText(url).includes(wanted),
    )
    .toSorted((a, b) => a.nameKey.localeCompare(b.nameKey))
    .map((row) => endpointView(row, nowMs))
    .filter((view) => state === undefined || view.state === state)
  return numberedPage(found.slice((page - 1) * limit, page * limit), found.length, { page, limit })
}

/** Deliveries from which rates and times are taken. */
const SAMPLE = 1_000

/** Returns an endpoint with its figures. Throws NotFoundError. */
export function getEndpoint(ctx: ReadCtx, id: string): EndpointWithStats {
  const row = getEndpointRow(ctx, id)
  return { ...endpointView(row, ctx.clock.nowMs()), stats: statsOf(ctx, row) }
}

function statsOf(ctx: ReadCtx, row: EndpointRow): EndpointStats {
  const nowMs = ctx.clock.nowMs()
  const ofEndpoint = eq(webhookDeliveries.endpointId, row.id)
  const newest = ctx.db.orm
    .select({ state: webhookDeliveries.state, durationMs: webhookAttempts.durationMs })
    .from(webhookDeliveries)
    .leftJoin(
      webhookAttempts,
      and(
        eq(webhookAttempts.organizationId, webhookDeliveries.organizationId),
        eq(webhookAttempts.deliveryId, webhookDeliveries.id),
        eq(webhookAttempts.number, webhookDeliveries.attempts),
      ),
    )
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(ofEndpoint, gt(webhookDeliveries.createdAtMs, nowMs - DAY_MS)),
      ),
    )
    .orderBy(desc(webhookDeliveries.createdAtMs), desc(webhookDeliveries.id))
    .limit(SAMPLE)
    .all()
  const open = openFigures(ctx, row.id)
  const { delivered, failed } = countsOfDay(ctx, row.id)
  const times = newest
    .flatMap(({ state, durationMs }) =>
      state === 'delivered' && durationMs !== null ? [durationMs] : [],
    )
    .toSorted((a, b) => a - b)
  const quantile = (share: number): number | null =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? null
  return {
    delivered,
    failed,
    pending: open.rows,
    oldest_pending_seconds:
      open.oldestMs === null ? null : Math.max(0, Math.floor((nowMs - open.oldestMs) / SECOND_MS)),
    success_rate:
      delivered + failed === 0 ? null : Math.round((delivered / (delivered + failed)) * 1_000) / 10,
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
    last_success_at: isoTimeOrNull(row.lastSuccessAtMs),
    last_failure_at: isoTimeOrNull(row.lastFailureAtMs),
    failing_since: isoTimeOrNull(row.failingSinceMs),
  }
}

function countsOfDay(ctx: ReadCtx, endpointId: string): { delivered: number; failed: number } {
  const sums = ctx.db.orm
    .select({
      delivered: sql<number>`coalesce(sum(${webhookHours.delivered}), 0)`,
      failed: sql<number>`coalesce(sum(${webhookHours.failed}), 0)`,
    })
    .from(webhookHours)
    .where(
      inOrganization(
        ctx,
        webhookHours,
        and(
          eq(webhookHours.endpointId, endpointId),
          gt(webhookHours.hourMs, ctx.clock.nowMs() - DAY_MS),
        ),
      ),
    )
    .get()
  return sums ?? { delivered: 0, failed: 0 }
}

/** Whether a delivery is found by the index of those that were not delivered. */
export const isUndelivered: SQL = sql`${webhookDeliveries.state} <> 'delivered'`

/** Whether a delivery still changes. */
export const isOpen: SQL = sql`${webhookDeliveries.state} = 'pending' and ${isUndelivered}`

function openFigures(ctx: Scope, endpointId: string): { rows: number; oldestMs: number | null } {
  const open = inOrganization(
    ctx,
    webhookDeliveries,
    and(eq(webhookDeliveries.endpointId, endpointId), isOpen),
  )
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(open)
    .limit(MAX_WAITING)
    .as('some')
  const rows = ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
  const oldest = ctx.db.orm
    .select({ atMs: webhookDeliveries.createdAtMs })
    .from(webhookDeliveries)
    .where(open)
    .orderBy(webhookDeliveries.createdAtMs, webhookDeliveries.id)
    .limit(1)
    .get()
  return { rows, oldestMs: oldest?.atMs ?? null }
}

const OPEN_ORDER = { value: webhookDeliveries.createdAtMs, id: webhookDeliveries.id }

/** Returns the oldest deliveries of an endpoint that still change, after a place if one is given. */
export const openDeliveries = (
  ctx: Scope,
  endpointId: string,
  { limit, after }: { limit: number; after?: CursorKey },
): DeliveryRow[] =>
  ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(
          eq(webhookDeliveries.endpointId, endpointId),
          isOpen,
          after && afterKey(OPEN_ORDER, after, 'asc'),
        ),
      ),
    )
    .orderBy(asc(OPEN_ORDER.value), asc(OPEN_ORDER.id))
    .limit(limit)
    .all()
