import { isoTime } from '../../../lib/clock'
import type { OrderView } from './model'
import type { orders } from './table'

/** Database row of an order. */
export type OrderRow = typeof orders.$inferSelect

/** Returns an order as the API shows it. */
export const orderView = (row: OrderRow, conversationId: string): OrderView => ({
  id: row.id,
  message_id: row.messageId,
  conversation_id: conversationId,
  contact_id: row.contactId,
  account_id: row.accountId,
  state: row.state,
  catalog_id: row.catalogId,
  text: row.text,
  items: JSON.parse(row.items) as OrderView['items'],
  total: row.total,
  currency: row.currency,
  timestamp: isoTime(row.placedAtMs),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
