import { and, count, desc, eq, gte, inArray, lt, notInArray, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { ForbiddenError, NotFoundError } from '../../../../lib/errors'
import {
  longPage,
  readCursor,
  writeCursor,
  type CursorKey,
  type LongPage,
} from '../../../../lib/page'
import { maskPhonesIn } from '../../../../lib/phone'
import { MAX_COUNTED } from '../../../../infra/read/ordered-list'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { afterKey } from '../../../../infra/keyset-pagination'
import { HIDDEN } from '../../../organization/audit/record'
import { masksNumbers } from '../../../inbox/contacts/visibility'
import { requestHeaders } from '../delivery/request'
import { findDelivery, findPayload } from '../delivery/store'
import { permissionsFor } from '../events/catalog'
import type { AttemptView, DeliveryDetails, DeliveryView } from '../model'
import { findEndpoint, isOpen, isUndelivered } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { webhookAttempts, webhookDeliveries } from '../table'
import { deliveryView, messageIdOf } from '../view'

/** Filters and page of a list of deliveries. Times are epoch milliseconds; `toMs` is exclusive. */
export interface DeliveryQuery {
  page: number
  limit: number
  cursor?: string | undefined
  state?: DeliveryView['state'] | undefined
  event?: string | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
  statusCode?: number | undefined
  contactId?: string | undefined
}

/** Whether the caller may see what events of this type contain (webhooks-out 6.2a). */
const maySee = (ctx: Ctx, event: string): boolean =>
  (['contacts:read_all', ...permissionsFor([event])] as const).every((permission) =>
    hasPermission(ctx.actor, permission),
  )

/** Returns the row of an endpoint, also of a deleted one whose history is kept. Throws NotFoundError. */
function getKeptEndpoint(ctx: Ctx, id: string): EndpointRow {
  const row = findEndpoint(ctx, id)
  if (!row) throw new NotFoundError('Webhook endpoint')
  return row
}

/**
 * Returns a page of the deliveries of an endpoint, newest first; of a deleted one as long as they are
 * kept. Throws NotFoundError, and ForbiddenError for a filter by contact without the permissions for all events.
 */
export async function listDeliveries(
  ctx: Ctx,
  endpointId: string,
  query: DeliveryQuery,
): Promise<LongPage<DeliveryView>> {
  const place = query.cursor === undefined ? null : readCursor(query.cursor)
  const endpoint = getKeptEndpoint(ctx, endpointId)
  if (query.contactId !== undefined && !maySee(ctx, '*'))
    throw new ForbiddenError('To filter by contact you need to see all contacts and events.', {
      code: 'permission_denied',
    })
  const { page, limit, cursor } = query
  const { sending } = ctx.webhookTraffic
  const { indexed, other } = matching(endpoint, query, sending)
  const offset = cursor === undefined ? (page - 1) * limit : 0
  const found = await readMatching(ctx, { indexed, other, place, offset, limit: limit + 1 })
  const { rows } = found
  const result = longPage(rows, query, {
    view: (shown) =>
      shown.map((row) => deliveryView(row, { endpoint, isSending: sending.has(row.id) })),
    cursorKeyOf,
    total: () => (other === undefined ? countMatching(ctx, indexed) : null),
  })
  // The rest was not looked at: the next page begins there.
  if (found.stoppedAt === null || result.next_cursor !== null) return result
  return { ...result, total: null, total_pages: null, next_cursor: writeCursor(found.stoppedAt) }
}

const cursorKeyOf = (row: DeliveryRow): CursorKey => ({ value: row.createdAtMs, id: row.id })

const ORDER = { value: webhookDeliveries.createdAtMs, id: webhookDeliveries.id }

/** Deliveries looked at in one go, and how long a page looks for matching ones, milliseconds. */
const STRIDE = 2_000
const MAX_SEARCH_MS = 25

interface Search {
  /** Conditions that are read as a range of an index, and those each row is checked for. */
  indexed: SQL | undefined
  other: SQL | undefined
  place: CursorKey | null
  offset: number
  limit: number
}

/**
 * Reads matching deliveries, newest first. The search ends when it has taken long: `stoppedAt` is
 * the last row that was looked at then.
 */
async function readMatching(
  ctx: Ctx,
  { indexed, other, place, offset, limit }: Search,
): Promise<{ rows: DeliveryRow[]; stoppedAt: CursorKey | null }> {
  const after = (key: CursorKey | null): SQL | undefined =>
    inOrganization(
      ctx,
      webhookDeliveries,
      and(indexed, key === null ? undefined : afterKey(ORDER, key, 'desc')),
    )
  const newest = [desc(ORDER.value), desc(ORDER.id)]
  const orm = ctx.db.orm
  if (other === undefined)
    return {
      rows: orm
        .select()
        .from(webhookDeliveries)
        .where(after(place))
        .orderBy(...newest)
        .limit(limit)
        .offset(offset)
        .all(),
      stoppedAt: null,
    }
  const found: DeliveryRow[] = []
  const startedMs = performance.now()
  for (let from = place; ; await yieldToEventLoop()) {
    const end = orm
      .select({ value: ORDER.value, id: ORDER.id })
      .from(webhookDeliveries)
      .where(after(from))
      .orderBy(...newest)
      .limit(1)
      .offset(STRIDE - 1)
      .get()
    found.push(
      ...orm
        .select()
        .from(webhookDeliveries)
        .where(and(after(from), other, end && notBefore(end)))
        .orderBy(...newest)
        .limit(offset + limit - found.length)
        .all(),
    )
    const rows = found.slice(offset)
    if (!end || rows.length >= limit) return { rows, stoppedAt: null }
    from = end
    if (performance.now() - startedMs > MAX_SEARCH_MS) return { rows, stoppedAt: end }
  }
}

const notBefore = ({ value, id }: CursorKey): SQL =>
  sql`(${ORDER.value}, ${ORDER.id}) >= (${value}, ${sql.param(id, ORDER.id)})`

function matching(
  endpoint: EndpointRow,
  query: DeliveryQuery,
  sending: ReadonlySet<string>,
): { indexed: SQL | undefined; other: SQL | undefined } {
  const { state, event, fromMs, toMs, statusCode, contactId } = query
  const isDelivered = state === 'delivered'
  return {
    indexed: and(
      eq(webhookDeliveries.endpointId, endpoint.id),
      state === undefined || isDelivered ? undefined : stateCondition(state, endpoint, sending),
      fromMs === undefined ? undefined : gte(webhookDeliveries.createdAtMs, fromMs),
      toMs === undefined ? undefined : lt(webhookDeliveries.createdAtMs, toMs),
      contactId === undefined ? undefined : eq(webhookDeliveries.contactId, contactId),
    ),
    other: and(
      isDelivered ? eq(webhookDeliveries.state, 'delivered') : undefined,
      event === undefined ? undefined : eq(webhookDeliveries.event, event),
      statusCode === undefined ? undefined : eq(webhookDeliveries.lastStatusCode, statusCode),
    ),
  }
}

/**
 * Pending deliveries are shown as `sending` while their request is under way, and otherwise as `held`
 * while their endpoint is down.
 */
function stateCondition(
  state: Exclude<DeliveryView['state'], 'delivered'>,
  { downSinceMs }: EndpointRow,
  sending: ReadonlySet<string>,
): SQL | undefined {
  if (state === 'sending') return and(isOpen, inArray(webhookDeliveries.id, [...sending]))
  if (state !== 'held' && state !== 'pending')
    return and(eq(webhookDeliveries.state, state), isUndelivered)
  const isShown = (state === 'held') === (downSinceMs !== null)
  return isShown ? and(isOpen, notInArray(webhookDeliveries.id, [...sending])) : sql`false`
}

/** Returns the number of matching deliveries; `null` above 10,000, where counting takes too long. */
function countMatching(ctx: Ctx, matches: SQL | undefined): number | null {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, matches))
    .limit(MAX_COUNTED + 1)
    .as('some')
  const rows = ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
  return rows > MAX_COUNTED ? null : rows
}

/** Returns the row of a delivery. Throws NotFoundError. */
export function getDeliveryRow(ctx: Ctx, id: string): DeliveryRow {
  const row = findDelivery(ctx, id)
  if (!row) throw new NotFoundError('Webhook delivery')
  return row
}

/**
 * Returns a delivery with its payload and attempts, as far as the caller may see them. Throws
 * NotFoundError.
 */
export function getDelivery(ctx: Ctx, id: string): DeliveryDetails {
  const row = getDeliveryRow(ctx, id)
  const endpoint = getKeptEndpoint(ctx, row.endpointId)
  const isShown = maySee(ctx, row.event)
  const hidesNumbers = masksNumbers(ctx)
  const body = isShown ? findPayload(ctx, row.payloadId, { hidesNumbers }) : null
  const masked = (text: string): string => (hidesNumbers ? maskPhonesIn(text) : text)
  const headers =
    isShown && body !== null
      ? {
          ...requestHeaders(ctx, endpoint, { messageId: messageIdOf(row), attempt: 0, body }),
          ...Object.fromEntries(
            (JSON.parse(endpoint.headerNames) as string[]).map((name) => [name, HIDDEN]),
          ),
        }
      : null
  return {
    ...deliveryView(row, { endpoint, isSending: ctx.webhookTraffic.sending.has(row.id) }),
    payload: body === null ? null : (JSON.parse(body) as unknown),
    attempts: attemptsOf(ctx, row.id).map((attempt): AttemptView => {
      const isExcerptShown = isShown && hasPermission(ctx.actor, 'webhooks:update')
      return {
        number: attempt.number,
        at: isoTime(attempt.atMs),
        duration_ms: attempt.durationMs,
        status_code: attempt.statusCode,
        error_kind: attempt.errorKind,
        request_headers: headers && {
          ...headers,
          'webhook-timestamp': String(Math.floor(attempt.atMs / 1_000)),
          'webhook-signature': HIDDEN,
          'webhook-attempt': String(attempt.number),
        },
        response_headers:
          isExcerptShown && attempt.responseHeaders !== null
            ? (JSON.parse(attempt.responseHeaders) as Record<string, string>)
            : null,
        response_excerpt:
          isExcerptShown && attempt.responseExcerpt !== null
            ? masked(attempt.responseExcerpt)
            : null,
      }
    }),
  }
}

const attemptsOf = (ctx: Ctx, deliveryId: string) =>
  ctx.db.orm
    .select()
    .from(webhookAttempts)
    .where(inOrganization(ctx, webhookAttempts, eq(webhookAttempts.deliveryId, deliveryId)))
    .orderBy(webhookAttempts.number)
    .limit(100)
    .all()
