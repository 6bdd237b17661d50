import { sha256Hex } from '../../../lib/hash'
import {
  readAddressBook,
  readEchoes,
  readHistory,
  readPreferences,
  type AddressBookEntry,
  type HistoryMessage,
  type Preference,
} from '../../../platform/webhook/coexistence'
import { objectOf, wordOf } from '../../../platform/lenient-json'
import { isErased } from '../../../platform/webhook/redact-person'
import {
  readValueErrors,
  type BrokenItem,
  type Fault,
  type ReadChange,
} from '../../../platform/webhook/body'
import { readStatuses, type InboundStatus } from '../../../platform/webhook/statuses'
import { readMessages, type InboundMessage } from '../../../platform/webhook/messages'
import { isTemplateField } from '../../templates/apply-webhook'
import { ACCOUNT_FIELDS } from '../account-webhook-fields'

/** What an item of a change is. */
type Told =
  | { of: 'message'; message: InboundMessage }
  | { of: 'echo'; message: InboundMessage }
  | { of: 'past'; past: HistoryMessage }
  | { of: 'status'; status: InboundStatus }
  | { of: 'error'; fault: Fault }
  | { of: 'name'; name: AddressBookEntry }
  | { of: 'preference'; preference: Preference }
  | { of: 'news' }
  | { of: 'flow' }
  | { of: 'template' }
  | { of: 'broken'; reason: BrokenItem['broken'] }
  | { of: 'erased' }

/**
 * One thing a change tells: how it is counted, its place among those of its kind, and what it is.
 */
export interface Item {
  kind: 'message' | 'status' | 'error' | 'other'
  index: number
  told: Told
}

/**
 * The items of a change, messages in the order they were written; `null` for a field nothing
 * follows from.
 */
export function itemsOf(change: ReadChange): Item[] | null {
  const { value } = change
  const known = typeof value === 'object' && value !== null ? itemsByValue.get(value) : undefined
  if (known !== undefined) return known
  const items = readItems(change)
  if (typeof value === 'object' && value !== null) itemsByValue.set(value, items)
  return items
}

/** A change is worked off in parts; its items are read once, as long as its body is at hand. */
const itemsByValue = new WeakMap<object, Item[] | null>()

function readItems({ field, value }: ReadChange): Item[] | null {
  switch (field) {
    case 'messages':
      return [
        ...inOrder(
          listed('message', readMessages(value), (message) => ({ of: 'message', message })),
        ),
        ...listed('status', readStatuses(value), (status) => ({ of: 'status', status })),
        ...listed('error', readValueErrors(value), (fault) => ({ of: 'error', fault })),
      ]
    case 'smb_message_echoes':
      return inOrder(listed('message', readEchoes(value), (message) => ({ of: 'echo', message })))
    case 'history':
      return [
        ...inOrder(listed('message', readHistory(value), (past) => ({ of: 'past', past }))),
        ...listed('error', readValueErrors(value), (fault) => ({ of: 'error', fault })),
      ]
    case 'smb_app_state_sync':
      return listed('other', readAddressBook(value), (name) => ({ of: 'name', name }))
    case 'user_preferences':
      return listed('other', readPreferences(value), (preference) => ({
        of: 'preference',
        preference,
      }))
    case 'flows':
      return [{ kind: 'other', index: 0, told: { of: 'flow' } }]
    default:
      if (field !== null && isTemplateField(field))
        return [{ kind: 'other', index: 0, told: { of: 'template' } }]
      return field !== null && ACCOUNT_FIELDS.has(field)
        ? [{ kind: 'other', index: 0, told: { of: 'news' } }]
        : null
  }
}

function listed<T extends object>(
  kind: Item['kind'],
  read: readonly (T | BrokenItem)[],
  toldOf: (item: T) => Told,
): Item[] {
  return read.map((item, index) => ({
    kind,
    index,
    told: 'broken' in item ? brokenOf(item) : toldOf(item),
  }))
}

const brokenOf = (item: BrokenItem): Told =>
  isErased(item.raw) ? { of: 'erased' } : { of: 'broken', reason: item.broken }

const inOrder = (items: Item[]): Item[] => items.toSorted((a, b) => timeOf(a) - timeOf(b))

function timeOf({ told }: Item): number {
  const message = messageIn(told)
  return message?.timestampMs ?? Infinity
}

const messageIn = (told: Told): InboundMessage | null =>
  told.of === 'message' || told.of === 'echo'
    ? told.message
    : told.of === 'past'
      ? told.past.message
      : null

/**
 * The ids by which the item's customer is known, for telling whether two items are about the same
 * person; none of items about nobody.
 */
export function peopleOf({ told }: Item): string[] {
  const message = told.of === 'past' ? null : messageIn(told)
  return message === null
    ? []
    : [message.from, message.userId, message.parentUserId].filter((id) => id !== null)
}

/**
 * The key under which a change is worked off in order: that of the one person its messages are
 * from; `null` when it has none or is about several. A digest, because keys are shown where numbers
 * are not.
 */
export function orderKeyOf({ field, phoneNumberId, value }: ReadChange): string | null {
  const list = objectOf(value)[field === 'smb_message_echoes' ? 'message_echoes' : 'messages']
  if (!Array.isArray(list) || (field !== 'messages' && field !== 'smb_message_echoes')) return null
  const people = new Set(list.map((item) => personOf(objectOf(item), field)))
  const [person] = people
  return people.size === 1 && person
    ? `inbound:${sha256Hex(`${phoneNumberId} ${person}`).slice(0, 32)}`
    : null
}

const personOf = (item: Record<string, unknown>, field: string): string | null =>
  field === 'messages'
    ? (wordOf(item['from']) ?? wordOf(item['from_user_id']))
    : (wordOf(item['to']) ?? wordOf(item['to_user_id']))
