import { sha256Hex } from '../../../../lib/hash'
import {
  readAddressBook,
  readEchoes,
  readHistory,
  readHistoryReports,
  readPreferences,
  type AddressBookEntry,
  type HistoryMessage,
  type HistoryReport,
  type Preference,
} from '../../../../platform/webhook/coexistence'
import { listOf, objectOf, wordOf } from '../../../../platform/lenient-json'
import { isErased } from '../../../../platform/webhook/redact-person'
import {
  readValueErrors,
  type BrokenItem,
  type Fault,
  type ReadChange,
} from '../../../../platform/webhook/body'
import { readCalls, type CallReport } from '../../../../platform/webhook/calls'
import { readSender, senderOf, type WebhookSender } from '../../../../platform/webhook/sender'
import { noteOfMessages } from '../../../../platform/webhook/handover-note'
import { readHandovers, standbyLists, type Handover } from '../../../../platform/webhook/standby'
import { readStatuses, type InboundStatus } from '../../../../platform/webhook/statuses'
import { readMessages, type InboundMessage } from '../../../../platform/webhook/messages'
import {
  readUserIdUpdates,
  systemChangeOf,
  type UserIdUpdate,
} from '../../../../platform/webhook/system-change'
import { isTemplateField } from '../../templates/apply-webhook'
import { ACCOUNT_FIELDS } from '../account-webhook-fields'

/** The content of an item, by type. */
type ItemContent =
  | { of: 'message'; message: InboundMessage; isObserved: boolean }
  | { of: 'echo'; message: InboundMessage; isObserved: boolean }
  | { of: 'past'; past: HistoryMessage }
  | { of: 'history'; report: HistoryReport }
  | { of: 'status'; status: InboundStatus }
  | { of: 'call'; report: CallReport }
  | { of: 'error'; fault: Fault }
  | { of: 'name'; name: AddressBookEntry }
  | { of: 'preference'; preference: Preference }
  | { of: 'user_id'; update: UserIdUpdate }
  | { of: 'handover'; handover: Handover }
  | { of: 'note'; message: InboundMessage }
  | { of: 'account' }
  | { of: 'flow' }
  | { of: 'template' }
  | { of: 'broken'; reason: BrokenItem['broken'] }
  | { of: 'erased' }

/**
 * One item of a change: how it is counted, its index among the items of its kind, and its content.
 */
export interface Item {
  kind: 'message' | 'status' | 'error' | 'other'
  index: number
  content: ItemContent
}

/**
 * Returns the items of a change, with messages in the order they were written. Returns `null` for a
 * field that is not handled.
 */
export function itemsOf(change: ReadChange): Item[] | null {
  const { value } = change
  const known = typeof value === 'object' && value !== null ? itemsByValue.get(value) : undefined
  if (known !== undefined) return known
  const items = readItems(change)
  if (typeof value === 'object' && value !== null) itemsByValue.set(value, items)
  return items
}

/** A change is processed in batches. Its items are parsed once while its body is cached. */
const itemsByValue = new WeakMap<object, Item[] | null>()

function readItems({ field, value }: ReadChange): Item[] | null {
  switch (field) {
    case 'messages':
      return [
        ...readNote(value),
        ...inOrder(
          listed('message', readMessages(value), (message) => ({
            of: 'message',
            message,
            isObserved: false,
          })),
        ),
        ...listed('status', readStatuses(value), (status) => ({ of: 'status', status })),
        ...listed('error', readValueErrors(value), (fault) => ({ of: 'error', fault })),
      ]
    case 'smb_message_echoes':
      return inOrder(
        listed('message', readEchoes(value), (message) => ({
          of: 'echo',
          message,
          isObserved: false,
        })),
      )
    case 'standby':
      return readStandby(value)
    case 'messaging_handovers':
      return listed('other', readHandovers(value), (handover) => ({ of: 'handover', handover }))
    case 'history':
      return [
        ...inOrder(listed('message', readHistory(value), (past) => ({ of: 'past', past }))),
        ...listed('other', readHistoryReports(value), (report) => ({ of: 'history', report })),
        ...listed('error', readValueErrors(value), (fault) => ({ of: 'error', fault })),
      ]
    case 'smb_app_state_sync':
      return listed('other', readAddressBook(value), (name) => ({ of: 'name', name }))
    case 'user_preferences':
      return listed('other', readPreferences(value), (preference) => ({
        of: 'preference',
        preference,
      }))
    case 'calls':
      return listed('other', readCalls(value), (report) => ({ of: 'call', report }))
    case 'user_id_update':
      return listed('other', readUserIdUpdates(value), (update) => ({ of: 'user_id', update }))
    case 'flows':
      return [{ kind: 'other', index: 0, content: { of: 'flow' } }]
    default:
      if (field !== null && isTemplateField(field))
        return [{ kind: 'other', index: 0, content: { of: 'template' } }]
      return field !== null && ACCOUNT_FIELDS.has(field)
        ? [{ kind: 'other', index: 0, content: { of: 'account' } }]
        : null
  }
}

/**
 * Returns the items of a standby change: what customers wrote and what another app or the platform's
 * agent answered, with the statuses of these answers.
 */
function readStandby(value: unknown): Item[] {
  const lists = standbyLists(value)
  const written = listed('message', readMessages(lists), (message) => ({
    of: 'message',
    message,
    isObserved: true,
  }))
  const answers = listed('message', readEchoes(lists), (message) => ({
    of: 'echo',
    message,
    isObserved: true,
  })).map((item) => ({ ...item, index: item.index + written.length }))
  return [
    ...inOrder([...written, ...answers]),
    ...listed('status', readStatuses(lists), (status) => ({ of: 'status', status })),
  ]
}

/** Returns what the former owner of a thread says, which comes beside the customer's messages. */
function readNote(value: unknown): Item[] {
  const message = noteOfMessages(value)
  return message === null ? [] : [{ kind: 'other', index: 0, content: { of: 'note', message } }]
}

function listed<T extends object>(
  kind: Item['kind'],
  read: readonly (T | BrokenItem)[],
  contentOf: (item: T) => ItemContent,
): Item[] {
  return read.map((item, index) => ({
    kind,
    index,
    content: 'broken' in item ? brokenOf(item) : contentOf(item),
  }))
}

const brokenOf = (item: BrokenItem): ItemContent =>
  isErased(item.raw) ? { of: 'erased' } : { of: 'broken', reason: item.broken }

const inOrder = (items: Item[]): Item[] => items.toSorted((a, b) => timeOf(a) - timeOf(b))

function timeOf({ content }: Item): number {
  const message = messageIn(content)
  return message?.timestampMs ?? Infinity
}

const messageIn = (content: ItemContent): InboundMessage | null =>
  content.of === 'message' || content.of === 'echo' || content.of === 'note'
    ? content.message
    : content.of === 'past'
      ? content.past.message
      : null

/**
 * Returns the IDs of the item's customer, also those that a system message gives, to detect items
 * about the same person. Empty for items that are not about a customer.
 */
export function peopleOf({ content }: Item): string[] {
  const person = personIn(content)
  const change = content.of === 'message' ? systemChangeOf(content.message) : null
  return [
    ...(person === null ? [] : [person.from, person.userId, person.parentUserId]),
    ...(change === null ? [] : [change.newPhone, change.newUserId, change.newParentUserId]),
  ].filter((id) => id !== null)
}

function personIn(content: ItemContent): WebhookSender | null {
  if (content.of === 'past') return null
  if (content.of === 'user_id') return content.update.sender
  if (content.of === 'handover') return content.handover.sender
  return content.of === 'call' ? content.report : messageIn(content)
}

/**
 * Returns the ordering key of a change: a digest of the customer its messages are from, because
 * phone numbers must not appear in keys. `null` if the change has no customer or more than one.
 */
export function orderKeyOf({ field, phoneNumberId, value }: ReadChange): string | null {
  const people = new Set(namedIn(field, value))
  const [person] = people
  return people.size === 1 && person
    ? `inbound:${sha256Hex(`${phoneNumberId} ${person}`).slice(0, 32)}`
    : null
}

/** The first ID of a person, by which the items about it are put in order. */
const firstIdOf = ({ from, userId, parentUserId }: WebhookSender): string | null =>
  from ?? userId ?? parentUserId

const authorsOf = (messages: unknown): (string | null)[] =>
  listOf(messages).map((item) => firstIdOf(senderOf(objectOf(item))))

const recipientsOf = (echoes: unknown): (string | null)[] =>
  listOf(echoes)
    .map(objectOf)
    .map(({ to, to_user_id }) => firstIdOf(readSender(to, to_user_id, null)))

/** Returns the customer that each item of a change names. */
function namedIn(field: string | null, value: unknown): (string | null)[] {
  const { messages, message_echoes, user_id_update, sender } = objectOf(value)
  switch (field) {
    case 'messages':
      return authorsOf(messages)
    case 'smb_message_echoes':
      return recipientsOf(message_echoes)
    case 'user_id_update':
      return listOf(user_id_update).map((update) => wordOf(objectOf(update).wa_id))
    case 'messaging_handovers': {
      const { phone_number, wa_id, user_id } = objectOf(sender)
      return [firstIdOf(readSender(phone_number ?? wa_id, user_id, null))]
    }
    case 'standby': {
      const lists = standbyLists(value)
      return [...authorsOf(lists.messages), ...recipientsOf(lists.message_echoes)]
    }
    case 'calls':
      return readCalls(value).map((report) => ('broken' in report ? null : firstIdOf(report)))
    default:
      return []
  }
}
