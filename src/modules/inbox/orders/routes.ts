import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import { okText } from '../../../http/read-answer'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { changeOrder } from './change-state'
import { OrderChange, OrderView } from './model'
import { getOrder } from './queries'
import { ListOrders } from './readers'
import { orders } from './table'

const OrdersQuery = t.Object({
  ...longQuery(),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  state: t.Optional(oneOf(orders.state.enumValues)),
  from: t.Optional(
    t.String({
      format: 'date-time',
      description: 'Only orders that were placed at this time or later.',
    }),
  ),
  to: t.Optional(
    t.String({
      format: 'date-time',
      description: 'Only orders that were placed before this time.',
    }),
  ),
})

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

export const orderRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/orders', tags: ['Orders'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, contact_id, account_id, from, to, ...query },
      }) =>
        okText(
          await ctx.reads.text(ListOrders, ctx, {
            ...query,
            page,
            limit,
            contactId: contact_id,
            accountId: account_id,
            fromMs: timeOf(from),
            toMs: timeOf(to),
          }),
        ),
      {
        can: 'messages:read',
        query: OrdersQuery,
        response: { 200: Ok(LongPageOf(OrderView)) },
        detail: {
          operationId: 'listOrders',
          summary: 'List orders',
          description:
            'Lists orders of contacts the caller can see, most recent first. An incoming message ' +
            'of type `order` creates an order.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getOrder(ctx, params.id)), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(OrderView) },
      detail: {
        operationId: 'getOrder',
        summary: 'Get an order',
        description: 'What the customer ordered, with its state.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(changeOrder(ctx, params.id, body)), {
      can: 'messages:create',
      refuses: ['409 invalid_state'],
      params: IdParam,
      body: OrderChange,
      response: { 200: Ok(OrderView) },
      detail: {
        operationId: 'updateOrder',
        summary: 'Change the state of an order',
        description:
          'Sends nothing to the customer. Fails with 409 `invalid_state` if the order cannot ' +
          'change into this state; `details.state` is its present state.',
      },
    })
