import type { Static } from '@sinclair/typebox'

import { OrderCreated, OrderUpdated } from '../../../inbox/orders/events'
import { findOrders } from '../../../inbox/orders/queries'
import { contactSummary, liveContact } from './contact'
import { frame, type FrameEntry, type FrameScope, type Payload } from './kind'

function orderUpdated(
  scope: FrameScope,
  { orderId, changed }: Static<typeof OrderUpdated.payload>,
  { isMasked }: { isMasked: boolean },
): Payload {
  const [order] = findOrders(scope, [orderId])
  const contact = order && liveContact(scope, order.contact_id)
  return contact ? { ...order, contact: contactSummary(contact, isMasked), changed } : null
}

/** Frames about orders. */
export const orderFrames: FrameEntry[] = [OrderCreated, OrderUpdated].map((event) =>
  frame(event, {
    type: 'order:updated',
    resource: 'messages',
    audience: 'sight',
    render: orderUpdated,
  }),
)
