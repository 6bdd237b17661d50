import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

const payload = Type.Object({
  orderId: Type.String(),
  contactId: Type.String(),
  /** Names of the changed fields. */
  changed: Type.Array(Type.String()),
  /** Set when a delivery is reprocessed much later: nothing reacts to it. */
  isLate: Type.Optional(Type.Boolean()),
})

/**
 * An order came in. Sockets show both events of orders as `order:updated`; they have names of their
 * own so that outbound webhooks can subscribe to them.
 */
export const OrderCreated = defineEvent('order.created', payload)

/** The state of an order changed. */
export const OrderUpdated = defineEvent('order.updated', payload)
