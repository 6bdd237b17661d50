import {
  foreignKey,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { accounts } from '../accounts/table'
import { contacts } from '../contacts/table'
import { messages } from '../messages/table'

/** Orders that customers placed from a catalog. Each belongs to the message that brought it. */
export const orders = sqliteTable(
  'orders',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    messageId: uuid('message_id').notNull(),
    contactId: uuid('contact_id').notNull(),
    accountId: uuid('account_id').notNull(),
    state: text('state', {
      enum: ['new', 'confirmed', 'shipped', 'completed', 'cancelled'],
    }).notNull(),
    catalogId: text('catalog_id'),
    /** What the customer wrote with the order. */
    text: text('text'),
    /** The ordered products, JSON. */
    items: text('items').notNull(),
    total: real('total'),
    currency: text('currency'),
    /** When it was placed, by the platform's time. */
    placedAtMs: integer('placed_at_ms').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
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
