import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { isObject, listOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { readFaults } from './parts'
import type { Fault } from './parts'
import { profileFor } from './sender'

export { profileFor }
export type { Fault }

/**
 * The documented webhook body (spec 6.1). The readers below are more lenient: unknown, missing and
 * malformed members never fail.
 */
export const WebhookBody = Type.Object({
  object: Type.String({ description: 'whatsapp_business_account' }),
  entry: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Business account the changes belong to' }),
      changes: Type.Array(
        Type.Object({
          field: Type.String({
            description: "Webhook field that the change belongs to, for example 'messages'",
          }),
          value: Type.Record(Type.String(), Type.Unknown(), {
            description:
              'metadata, contacts, messages and statuses for messages; other properties for other ' +
              'fields',
          }),
        }),
      ),
    }),
  ),
})
export type WebhookBody = Static<typeof WebhookBody>

/** One change of a webhook body with its position and routing facts. */
export interface ReadChange {
  entryIndex: number
  changeIndex: number
  /** `entry.id`, the business account ID. */
  businessId: string | null
  /** `entry.time` in epoch milliseconds. */
  entryTime: number | null
  field: string | null
  phoneNumberId: string | null
  value: unknown
}

/** An item that cannot be processed: a reason code, and the raw item. */
export interface BrokenItem {
  broken: 'not_an_object' | 'no_sender' | 'no_recipient' | 'no_id' | 'no_status' | 'no_value'
  raw: unknown
}

/** Maximum changes read from a body at once. The platform batches up to 1,000 updates. */
export const MAX_CHANGES = 2000

/**
 * Returns up to `most` changes of a webhook body, starting at index `from` (spec 6.1). Never
 * throws: an invalid body has no changes, and a change that is not an object becomes a change
 * without a field. Reads only the outermost members, so the cost does not depend on the depth of
 * the body.
 */
export function readChanges(
  body: unknown,
  { from = 0, most = MAX_CHANGES }: { from?: number; most?: number } = {},
): ReadChange[] {
  const changesRead: ReadChange[] = []
  let position = 0
  for (const [entryIndex, entry] of listOf(objectOf(body).entry).entries()) {
    const { id, time, changes } = objectOf(entry)
    for (const [changeIndex, change] of listOf(changes).entries()) {
      position += 1
      if (position <= from) continue
      if (changesRead.length >= most) return changesRead
      changesRead.push({
        entryIndex,
        changeIndex,
        businessId: wordOf(id),
        entryTime: secondsToMs(time),
        ...readChange(change),
      })
    }
  }
  return changesRead
}

/** Returns the number of entries of a webhook body, whatever they are. */
export const countEntries = (body: unknown): number => listOf(objectOf(body).entry).length

function readChange(change: unknown): Pick<ReadChange, 'field' | 'phoneNumberId' | 'value'> {
  if (!isObject(change)) return { field: null, phoneNumberId: null, value: change }
  const value = objectOf(change.value)
  const field = wordOf(change.field)
  const isAboutMessages = [value.messages, value.statuses, value.errors].some(Array.isArray)
  return {
    field: field ?? (isAboutMessages ? 'messages' : null),
    phoneNumberId: field === 'standby' ? standbyNumberId(change, value) : numberIdOf(change, value),
    value: change.value,
  }
}

/**
 * Returns the phone number ID of a change. `metadata` is in the value, next to it, or in the
 * elements, depending on the field. A handover names the number as its recipient.
 */
function numberIdOf(change: JsonObject, value: JsonObject): string | null {
  return (
    [
      phoneNumberIdIn(value),
      phoneNumberIdIn(change),
      ...elementNumberIds(value),
      recipientIdIn(value),
    ].find((id) => id !== null) ?? null
  )
}

/**
 * Returns the phone number ID of a standby change, from the value or its `standby` member. `null` if
 * its parts name several numbers, because their messages cannot be told apart.
 */
function standbyNumberId(change: JsonObject, value: JsonObject): string | null {
  const { standby } = value
  const parts = [value, change, ...(Array.isArray(standby) ? listOf(standby) : [standby])]
  const ids = new Set(parts.map((part) => phoneNumberIdIn(objectOf(part))))
  ids.delete(null)
  const [id = null] = ids
  return ids.size === 1 ? id : null
}

/** Returns the phone number IDs that the elements of a change name. */
const elementNumberIds = (value: unknown): (string | null)[] => {
  const { user_preferences, messaging_handovers } = objectOf(value)
  return [
    ...listOf(user_preferences).map((element) => phoneNumberIdIn(objectOf(element))),
    ...listOf(messaging_handovers).map((element) => recipientIdIn(objectOf(element))),
  ]
}

/** Returns the phone number ID of the recipient of a handover, or `null`. */
export const recipientIdIn = (item: JsonObject): string | null =>
  wordOf(objectOf(item.recipient).phone_number_id)

/** Returns the phone number ID in an object's metadata, or `null`. */
export const phoneNumberIdIn = (value: JsonObject): string | null =>
  wordOf(objectOf(value.metadata).phone_number_id)

/**
 * Returns all distinct phone number IDs of a change: its own, and those of its marketing
 * preferences and handovers.
 */
export const phoneNumberIdsIn = ({
  phoneNumberId,
  value,
}: Pick<ReadChange, 'phoneNumberId' | 'value'>): string[] => [
  ...new Set([phoneNumberId, ...elementNumberIds(value)].filter((id) => id !== null)),
]

/** Reads the errors of a change that concern the number, not a single message. */
export function readValueErrors(value: unknown): Fault[] {
  return readFaults(objectOf(value).errors)
}
