import { Type } from '@sinclair/typebox'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, json, real, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../contacts/table'
import { messages } from '../messages/table'

const textOrNull = Type.Union([Type.String(), Type.Null()])
const numberOrNull = Type.Union([Type.Number(), Type.Null()])

/** An ordered product. */
export const OrderItem = Type.Object({
  product_retailer_id: textOrNull,
  quantity: numberOrNull,
  item_price: numberOrNull,
  currency: textOrNull,
})

/** Orders that customers placed from a catalog. Each belongs to the message that brought it. */
export const orders = tableWithPeople(
  'orders',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    messageId: uuid('message_id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    state: text('state', {
      enum: ['new', 'confirmed', 'shipped', 'completed', 'cancelled'],
    })
      .notNull()
      .business(),
    catalogId: text('catalog_id').business(),
    /** What the customer wrote with the order. */
    text: text('text').personal(),
    items: json('items', Type.Array(OrderItem)).notNull().personal(),
    total: real('total').personal(),
    currency: text('currency').business(),
    /** When it was placed, by the platform's time. */
    placedAtMs: integer('placed_at_ms').notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    uniqueIndex('orders_of_message').on(table.organizationId, table.messageId),
    index('orders_of_contact').on(
      table.organizationId,
      table.contactId,
      table.placedAtMs,
      table.id,
    ),
    index('orders_recent').on(table.organizationId, table.placedAtMs, table.id),
    index('orders_recent_in').on(table.organizationId, table.state, table.placedAtMs, table.id),
    index('orders_recent_on').on(table.organizationId, table.accountId, table.placedAtMs, table.id),
  ],
)
