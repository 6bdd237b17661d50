import { and, desc, eq, gte, inArray, isNull, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { longPage, readCursor, type LongPage } from '../../../lib/page'
import { inOrganization } from '../../../infra/ctx'
import { totalOf } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { afterKey } from '../../../infra/keyset-pagination'
import { LISTED_COLUMNS, listedContact } from '../contacts/listed'
import { contacts } from '../contacts/table'
import { isShownHistory } from '../contacts/sight/visible-history'
import { isVisibleIn, masksNumbers, visibleTo } from '../contacts/sight/visibility'
import { messages } from '../messages/table'
import type { OrderView } from './model'
import { orders } from './table'

type OrderRow = typeof orders.$inferSelect

/** An order without whose it is. */
type OrderFacts = Omit<OrderView, 'contact'>

const orderFacts = (row: OrderRow, conversationId: string): OrderFacts => ({
  id: row.id,
  message_id: row.messageId,
  conversation_id: conversationId,
  contact_id: row.contactId,
  account_id: row.accountId,
  state: row.state,
  catalog_id: row.catalogId,
  text: row.text,
  items: row.items,
  total: row.total,
  currency: row.currency,
  timestamp: isoTime(row.placedAtMs),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** Filters and page of a list of orders. Times are epoch milliseconds; `toMs` is exclusive. */
export interface OrderQuery {
  page: number
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  accountId?: string | undefined
  state?: OrderRow['state'] | undefined
  fromMs?: number | undefined
  toMs?: number | undefined
}

const ofContact = and(
  eq(contacts.organizationId, orders.organizationId),
  eq(contacts.id, orders.contactId),
)

const ofMessage = and(
  eq(messages.organizationId, orders.organizationId),
  eq(messages.id, orders.messageId),
)

function matching(ctx: ReadCtx, query: OrderQuery): SQL | undefined {
  const { contactId, accountId, state, fromMs, toMs } = query
  return and(
    isNull(contacts.deletedAtMs),
    visibleTo(ctx, orders.contactId),
    isShownHistory(ctx, { contactId: orders.contactId, atMs: orders.placedAtMs }),
    contactId === undefined ? undefined : eq(orders.contactId, contactId),
    accountId === undefined ? undefined : eq(orders.accountId, accountId),
    state === undefined ? undefined : eq(orders.state, state),
    fromMs === undefined ? undefined : gte(orders.placedAtMs, fromMs),
    toMs === undefined ? undefined : lt(orders.placedAtMs, toMs),
  )
}

const COLUMNS = { order: orders, conversationId: messages.conversationId }

/** Returns a page of the orders of contacts the caller can see, newest first. */
export function listOrders(ctx: ReadCtx, query: OrderQuery): LongPage<OrderView> {
  const { page, limit, cursor } = query
  const matches = matching(ctx, query)
  const beyond =
    cursor === undefined
      ? undefined
      : afterKey({ value: orders.placedAtMs, id: orders.id }, readCursor(cursor), 'desc')
  const rows = ctx.db.orm
    .select({ ...COLUMNS, contact: LISTED_COLUMNS })
    .from(orders)
    .innerJoin(contacts, ofContact)
    .innerJoin(messages, ofMessage)
    .where(inOrganization(ctx, orders, matches, beyond))
    .orderBy(desc(orders.placedAtMs), desc(orders.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()
  const isMasked = masksNumbers(ctx)
  return longPage(rows, query, {
    view: (shown) =>
      shown.map(({ order, conversationId, contact }) => ({
        ...orderFacts(order, conversationId),
        contact: listedContact(contact, isMasked),
      })),
    cursorKeyOf: ({ order }) => ({ value: order.placedAtMs, id: order.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(orders)
          .innerJoin(contacts, ofContact)
          .where(inOrganization(ctx, orders, matches)),
      ),
  })
}

/** Returns an order if the caller can see its contact. Throws NotFoundError. */
export function getOrder(ctx: ReadCtx, id: string): OrderView {
  const row = ctx.db.orm
    .select({ ...COLUMNS, contact: LISTED_COLUMNS })
    .from(orders)
    .innerJoin(contacts, ofContact)
    .innerJoin(messages, ofMessage)
    .where(
      inOrganization(
        ctx,
        orders,
        eq(orders.id, id),
        isNull(contacts.deletedAtMs),
        isVisibleIn(ctx, orders.contactId),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Order')
  return {
    ...orderFacts(row.order, row.conversationId),
    contact: listedContact(row.contact, masksNumbers(ctx)),
  }
}

/** Returns orders by ID. Does not check visibility. */
export const findOrders = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  ids: string[],
): OrderFacts[] =>
  ctx.db.orm
    .select(COLUMNS)
    .from(orders)
    .innerJoin(messages, ofMessage)
    .where(inOrganization(ctx, orders, inArray(orders.id, ids)))
    .all()
    .map(({ order, conversationId }) => orderFacts(order, conversationId))
