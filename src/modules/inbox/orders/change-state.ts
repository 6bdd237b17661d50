import { and, eq, inArray } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { emit } from '../../../infra/outbox/events'
import { differences, recordAudit } from '../../organization/audit/record'
import { OrderUpdated } from './events'
import type { OrderChange, OrderView } from './model'
import { getOrder } from './queries'
import { orders } from './table'

type State = (typeof orders.$inferSelect)['state']

/** The states from which an order may come into each state. No order comes into `new` again. */
const FROM: Readonly<Record<State, readonly State[]>> = {
  new: [],
  confirmed: ['new'],
  shipped: ['confirmed'],
  completed: ['shipped'],
  cancelled: ['new', 'confirmed', 'shipped'],
}

/**
 * Changes the state of an order, records and publishes it; sends nothing to the customer. Of several changes
 * at the same moment one wins. Throws NotFoundError, and ConflictError `invalid_state` if the order
 * cannot come into this state from its present one.
 */
export function changeOrder(ctx: Ctx, id: string, { state }: OrderChange): OrderView {
  return transact(ctx.db, (tx) => {
    const order = getOrder(ctx, id)
    const comesFrom = inArray(orders.state, [...FROM[state]])
    const [changed] = of(ctx, orders).update(tx, and(eq(orders.id, order.id), comesFrom), {
      state,
      updatedAtMs: ctx.clock.nowMs(),
    })
    if (!changed)
      throw new ConflictError(`An order that is ${order.state} cannot become ${state}.`, {
        code: 'invalid_state',
        details: { state: order.state },
      })
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'order',
      resourceId: order.id,
      resourceName: null,
      changes: differences({ state: order.state }, { state }),
    })
    emit(tx, ctx, OrderUpdated, {
      contactId: order.contact_id,
      payload: { orderId: order.id, contactId: order.contact_id, changed: ['state'] },
    })
    return getOrder(ctx, id)
  })
}
