import { and, desc, eq, gte, inArray, lt, notInArray, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { ForbiddenError, NotFoundError } from '../../../../lib/errors'
import { longPage, readCursor, type CursorKey, type LongPage } from '../../../../lib/page'
import { maskPhonesIn } from '../../../../lib/phone'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { afterKey } from '../../../../infra/keyset-pagination'
import { totalOf } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { HIDDEN } from '../../../organization/audit/record'
import { masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { requestHeaders } from '../delivery/request'
import { findDelivery, findPayload } from '../delivery/store'
import { permissionsFor } from '../../realtime/webhook-events'
import type { AttemptView, DeliveryDetails, DeliveryView } from '../model'
import { findEndpoint, isOpen, isUndelivered } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { webhookAttempts, webhookDeliveries } from '../table'
import { deliveryView, messageIdOf } from '../view'

/** Filters and page of a list of deliveries. Times are epoch milliseconds; `toMs` is exclusive. */
export interface DeliveryQuery {
  endpointId: string
  /** Those whose request is under way. */
  sending: string[]
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
const maySee = (ctx: Pick<ReadCtx, 'actor'>, event: string): boolean =>
  (['contacts:read_all', ...permissionsFor([event])] as const).every((permission) =>
    hasPermission(ctx.actor, permission),
  )

/** Returns the row of an endpoint, also of a deleted one whose history is kept. Throws NotFoundError. */
function getKeptEndpoint(ctx: ReadCtx, id: string): EndpointRow {
  const row = findEndpoint(ctx, id)
  if (!row) throw new NotFoundError('Webhook endpoint')
  return row
}

/**
 * Returns a page of the deliveries of an endpoint, newest first; of a deleted one as long as they are
 * kept. Throws NotFoundError, and ForbiddenError for a filter by contact without the permissions for all events.
 */
export function listDeliveries(ctx: ReadCtx, query: DeliveryQuery): LongPage<DeliveryView> {
  const { page, limit, cursor } = query
  const place = cursor === undefined ? null : readCursor(cursor)
  const endpoint = getKeptEndpoint(ctx, query.endpointId)
  if (query.contactId !== undefined && !maySee(ctx, '*'))
    throw new ForbiddenError('To filter by contact you need to see all contacts and events.', {
      code: 'permission_denied',
    })
  const sending = new Set(query.sending)
  const wanted = inOrganization(ctx, webhookDeliveries, matching(endpoint, query, sending))
  const rows = ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(and(wanted, place === null ? undefined : afterKey(ORDER, place, 'desc')))
    .orderBy(desc(ORDER.value), desc(ORDER.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()
  return longPage(rows, query, {
    view: (shown) =>
      shown.map((row) => deliveryView(row, { endpoint, isSending: sending.has(row.id) })),
    cursorKeyOf: (row): CursorKey => ({ value: row.createdAtMs, id: row.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(webhookDeliveries)
          .where(wanted),
      ),
  })
}

const ORDER = { value: webhookDeliveries.createdAtMs, id: webhookDeliveries.id }

/** Whether each delivery is tested: no index finds those of an event, of an answer, or delivered ones. */
export const testsEach = ({ state, event, statusCode }: DeliveryQuery): boolean =>
  state === 'delivered' || event !== undefined || statusCode !== undefined

function matching(
  endpoint: EndpointRow,
  { state, event, fromMs, toMs, statusCode, contactId }: DeliveryQuery,
  sending: ReadonlySet<string>,
): SQL | undefined {
  return and(
    eq(webhookDeliveries.endpointId, endpoint.id),
    state === undefined ? undefined : stateCondition(state, endpoint, sending),
    event === undefined ? undefined : eq(webhookDeliveries.event, event),
    fromMs === undefined ? undefined : gte(webhookDeliveries.createdAtMs, fromMs),
    toMs === undefined ? undefined : lt(webhookDeliveries.createdAtMs, toMs),
    statusCode === undefined ? undefined : eq(webhookDeliveries.lastStatusCode, statusCode),
    contactId === undefined ? undefined : eq(webhookDeliveries.contactId, contactId),
  )
}

/**
 * Pending deliveries are shown as `sending` while their request is under way, and otherwise as `held`
 * while their endpoint is down.
 */
function stateCondition(
  state: DeliveryView['state'],
  { downSinceMs }: EndpointRow,
  sending: ReadonlySet<string>,
): SQL | undefined {
  if (state === 'delivered') return eq(webhookDeliveries.state, state)
  if (state === 'sending') return and(isOpen, inArray(webhookDeliveries.id, [...sending]))
  if (state !== 'held' && state !== 'pending')
    return and(eq(webhookDeliveries.state, state), isUndelivered)
  const isShown = (state === 'held') === (downSinceMs !== null)
  return isShown ? and(isOpen, notInArray(webhookDeliveries.id, [...sending])) : sql`false`
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
