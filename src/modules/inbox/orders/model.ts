import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { ListedContact } from '../contacts/listed'
import { OrderItem, orders } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** The order in a message of type `order`. */
export interface OrderContent {
  catalog_id: string | null
  text: string | null
  items: Static<typeof OrderItem>[]
  total: number | null
  currency: string | null
}

/** An order as the API answers it. */
export const OrderView = Type.Object(
  {
    id: Uuid,
    message_id: Uuid,
    conversation_id: Uuid,
    contact_id: Uuid,
    contact: ListedContact,
    account_id: Uuid,
    state: Type.String({ enum: orders.state.enumValues }),
    catalog_id: textOrNull,
    text: Type.Union([Type.String(), Type.Null()], {
      description: 'Text that the customer sent with the order.',
    }),
    items: Type.Array(OrderItem),
    total: Type.Union([Type.Number(), Type.Null()], {
      description: '`null` if a price or quantity is unknown or the currencies differ.',
    }),
    currency: textOrNull,
    timestamp: Type.String({
      format: 'date-time',
      description: 'When the order was placed, according to the platform.',
    }),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Order' },
)
export type OrderView = Static<typeof OrderView>

export const OrderChange = Type.Object(
  {
    state: oneOf(orders.state.enumValues, {
      description:
        'Orders go from `new` to `confirmed`, `shipped` and `completed`. An order that is not ' +
        'completed can become `cancelled`.',
    }),
  },
  { title: 'OrderChange', examples: [{ state: 'confirmed' }] },
)
export type OrderChange = Static<typeof OrderChange>
