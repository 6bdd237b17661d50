import { categoryKey } from '../../../channel/prices/lookup'
import type { MessageRow } from '../view'

/** Columns of a message that hold its cost. */
export type CostColumns = Pick<
  MessageRow,
  | 'costMicros'
  | 'costCurrency'
  | 'costCategory'
  | 'costCountry'
  | 'costFreeReason'
  | 'isCostEstimate'
  | 'costMonth'
  | 'windowAtSend'
>

/** Sources of messages that are not billed to this business. */
const FOREIGN_SOURCES: readonly string[] = ['phone_app', 'platform_agent', 'other_app']

/** Whether a message was sent by this server. */
export const isOurs = ({ source }: Pick<MessageRow, 'source'>): boolean =>
  !FOREIGN_SOURCES.includes(source)

/** How the platform charges a message. */
export interface Billing {
  /** As in the price list; `null` if the platform names none. */
  category: string | null
  /** Why the message is free; `null` if it is charged. */
  freeReason: string | null
}

/** Prefix of the platform's types of free messages. */
const FREE = 'free_'

/**
 * Reads how the platform charges a message from its pricing, JSON. The type decides, else the older
 * flag `billable`. Returns `null` if the platform reports neither.
 */
export function billingOf(pricing: string | null): Billing | null {
  if (pricing === null) return null
  const { category, type, billable } = JSON.parse(pricing) as {
    category?: string | null
    type?: string | null
    billable?: boolean | null
  }
  const key = category == null ? null : categoryKey(category)
  const word = type?.toLowerCase() ?? ''
  if (word === 'regular') return { category: key, freeReason: null }
  if (word.startsWith(FREE)) return { category: key, freeReason: word }
  if (typeof billable !== 'boolean') return null
  return { category: key, freeReason: billable ? null : 'not_billable' }
}
