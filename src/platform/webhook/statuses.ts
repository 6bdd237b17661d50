import { flagOf, isObject, listOf, objectOf, secondsToMs, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { readFaults } from './parts'
import type { Fault } from './parts'
import { userIdOf } from './sender'
import { type BrokenItem } from './body'

/** The platform's pricing of a message. Its values are open enums. */
export interface Pricing {
  category: string | null
  type: string | null
  billable: boolean | null
  pricingModel: string | null
}

/** A status of a message we sent. */
export interface InboundStatus {
  waMessageId: string
  /** The platform's status: sent, delivered, read, played, failed or any other. */
  status: string
  timestampMs: number | null
  /** Phone digits, or the group ID. */
  recipientId: string | null
  recipientUserId: string | null
  /** The group member the status is about (phone digits or user ID). */
  participant: string | null
  /** Our message ID, sent along with the message. */
  callbackData: string | null
  errors: Fault[]
  pricing: Pricing | null
  /** The platform's ID of the template that the message was sent with, if the status reports it. */
  templateId: string | null
  /** End of the free messages after an ad click, if the status reports it. */
  freeEntryUntilMs: number | null
  raw: JsonObject
}

/**
 * Reads the statuses of a change, in order, one result per element. Malformed elements become
 * broken items.
 */
export function readStatuses(value: unknown): Array<InboundStatus | BrokenItem> {
  return listOf(objectOf(value).statuses).map(readStatus)
}

function readStatus(item: unknown): InboundStatus | BrokenItem {
  if (!isObject(item)) return { broken: 'not_an_object', raw: item }
  const waMessageId = wordOf(item.id)
  if (waMessageId === null) return { broken: 'no_id', raw: item }
  const status = wordOf(item.status)
  if (status === null) return { broken: 'no_status', raw: item }
  const misplacedUserId = userIdOf(item.recipient_id)
  return {
    waMessageId,
    status,
    timestampMs: secondsToMs(item.timestamp),
    recipientId: misplacedUserId === null ? wordOf(item.recipient_id) : null,
    recipientUserId: userIdOf(item.recipient_user_id) ?? misplacedUserId,
    participant:
      wordOf(item.recipient_participant_id) ?? wordOf(item.recipient_participant_user_id),
    callbackData: textOf(item.biz_opaque_callback_data),
    errors: readFaults(item.errors),
    pricing: readPricing(item.pricing),
    templateId: wordOf(item.template_id),
    freeEntryUntilMs: readFreeEntryEnd(item),
    raw: item,
  }
}

/** Reads the end of a free entry point window (platform documentation 1.11). */
function readFreeEntryEnd({ pricing, conversation }: JsonObject): number | null {
  if (wordOf(objectOf(pricing).type) !== 'free_entry_point') return null
  return secondsToMs(objectOf(conversation).expiration_timestamp)
}

function readPricing(pricing: unknown): Pricing | null {
  if (!isObject(pricing)) return null
  return {
    category: wordOf(pricing.category),
    type: wordOf(pricing.type),
    billable:
      pricing.billable === undefined || pricing.billable === null ? null : flagOf(pricing.billable),
    pricingModel: wordOf(pricing.pricing_model),
  }
}
