import { isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { phoneNumberIdIn } from './body'
import { readItem } from './messages'
import type { BrokenItem } from './body'
import type { InboundMessage } from './messages'
import { completeSender, indexProfiles, phoneDigitsOf, readSender } from './sender'
import type { WebhookSender } from './sender'

/**
 * A message sent or received before the number was connected. Its `sender` is always the customer.
 */
export interface HistoryMessage {
  message: InboundMessage
  direction: 'incoming' | 'outgoing'
  /** Last status of an outgoing message: sent, delivered, read or played; `null` if unknown. */
  status: string | null
}

/** How far the history has been sent, or that the person does not share it. */
export interface HistoryReport {
  /** Percent; `null` if the platform did not say. */
  progress: number | null
  isDeclined: boolean
}

/** A contact name in the address book of the business's phone; `null` if it was removed. */
export interface AddressBookEntry {
  sender: WebhookSender
  name: string | null
  timestampMs: number | null
}

/** A customer's marketing preference. An open enum; `stop` and `resume` are known. */
export interface Preference {
  sender: WebhookSender
  /** Phone number ID the preference applies to, if it names one. */
  phoneNumberId: string | null
  value: string
  category: string | null
  detail: string | null
  timestampMs: number | null
}

/**
 * Reads messages the business sent from the phone app, in order, one result per element. Malformed
 * elements become broken items. The `sender` of each is the customer it went to.
 */
export function readEchoes(value: unknown): Array<InboundMessage | BrokenItem> {
  const profileOf = indexProfiles(value)
  return listOf(objectOf(value).message_echoes).map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const recipient = readSender(item.to, item.to_user_id, item.to_parent_user_id)
    const profile = profileOf(recipient)
    const customer = completeSender(recipient, profile)
    return customer === null
      ? { broken: 'no_recipient', raw: item }
      : readItem(item, customer, profile)
  })
}

/**
 * Reads the message history, thread by thread, one result per element. Malformed elements become
 * broken items. Files come apart from the threads, as messages with the ID of a placeholder there.
 */
export function readHistory(value: unknown): Array<HistoryMessage | BrokenItem> {
  const { metadata, history, messages } = objectOf(value)
  const businessNumber = phoneDigitsOf(objectOf(metadata).display_phone_number)
  return [
    ...listOf(history).flatMap((chunk) => listOf(objectOf(chunk).threads)),
    ...listOf(messages).map((message) => ({ messages: [message] })),
  ].flatMap((thread) => readThread(objectOf(thread), businessNumber))
}

/** The code of a history that the person does not share. */
const NOT_SHARED = 2_593_109

/** Reads how far the history has been sent, one result per part. */
export const readHistoryReports = (value: unknown): HistoryReport[] =>
  listOf(objectOf(value).history)
    .map(objectOf)
    .map(({ metadata, errors }) => ({
      progress: numberOf(objectOf(metadata).progress),
      isDeclined: listOf(errors).some((error) => numberOf(objectOf(error).code) === NOT_SHARED),
    }))

function readThread(
  thread: JsonObject,
  businessNumber: string | null,
): Array<HistoryMessage | BrokenItem> {
  const threadContext = objectOf(thread.context)
  const customer = readSender(
    thread.id ?? threadContext.wa_id,
    threadContext.user_id,
    threadContext.parent_user_id,
  )
  return listOf(thread.messages).map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const from = readSender(item.from, item.from_user_id, item.from_parent_user_id)
    const isOutgoing =
      item.to !== undefined ||
      item.to_user_id !== undefined ||
      (businessNumber !== null && from.from === businessNumber)
    const customerFields = isOutgoing
      ? readSender(item.to, item.to_user_id, item.to_parent_user_id)
      : from
    const sender = completeSender(customerFields, { ...customer, name: null, username: null })
    if (sender === null) return { broken: isOutgoing ? 'no_recipient' : 'no_sender', raw: item }
    const status = isOutgoing
      ? (wordOf(objectOf(item.history_context).status)?.toLowerCase() ?? null)
      : null
    return {
      message: readItem(item, sender, null),
      direction: isOutgoing ? 'outgoing' : 'incoming',
      status,
    }
  })
}

/**
 * Reads address book entries of the business's phone, one result per element. Malformed elements
 * become broken items.
 */
export function readAddressBook(value: unknown): Array<AddressBookEntry | BrokenItem> {
  return listOf(objectOf(value).state_sync).map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const contact = objectOf(item.contact)
    const sender = completeSender(
      readSender(contact.phone_number ?? contact.wa_id, contact.user_id, contact.parent_user_id),
      null,
    )
    if (sender === null) return { broken: 'no_sender', raw: item }
    const name = wordOf(contact.full_name) ?? wordOf(contact.first_name)
    const timestampMs = secondsToMs(objectOf(item.metadata).timestamp ?? item.timestamp)
    return { sender, name: wordOf(item.action) === 'remove' ? null : name, timestampMs }
  })
}

/** Reads marketing preferences, one result per element. Malformed elements become broken items. */
export function readPreferences(value: unknown): Array<Preference | BrokenItem> {
  return listOf(objectOf(value).user_preferences).map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const sender = completeSender(readSender(item.wa_id, item.user_id, item.parent_user_id), null)
    if (sender === null) return { broken: 'no_sender', raw: item }
    const preference = wordOf(item.value)
    if (preference === null) return { broken: 'no_value', raw: item }
    return {
      sender,
      phoneNumberId: phoneNumberIdIn(item),
      value: preference,
      category: wordOf(item.category),
      detail: wordOf(item.detail),
      timestampMs: secondsToMs(item.timestamp),
    }
  })
}
