import { isObject, type JsonObject } from '../lenient-json'
import { phoneDigitsOf, userIdOf } from './sender'

/** Far deeper than real payloads. Deeper values are removed unread. */
const MAX_DEPTH = 64

/** Replaces data about an erased person. Readers treat it as an empty item. */
const ERASED = { erased: true }

/** Reports whether an item of a webhook was about an erased person. */
export const isErased = (item: unknown): boolean => isObject(item) && item['erased'] === true

/**
 * Returns a value that may be a person's phone number or user ID, or `null` if it has the form of
 * neither.
 */
export const personIdIn = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number'
    ? (userIdOf(value) ?? phoneDigitsOf(value))
    : null

/** Reports whether a value is one of a person's numbers or IDs. */
export type IsTheirs = (value: unknown) => boolean

/** A part of a webhook change that identifies a person, and its path: `messages[0]`. */
export interface PersonPart {
  place: string
  value: unknown
}

interface Redaction<T = unknown> {
  value: T
  parts: PersonPart[]
}

const removedPart = (place: string, value: unknown): PersonPart[] => [{ place, value }]

/**
 * Removes from a change's value the smallest list elements that contain one of a person's numbers
 * or IDs, even if they also concern other people, and what the change says about its person. Returns
 * the remaining value and the removed parts.
 */
export function redactPerson(value: unknown, isTheirs: IsTheirs): Redaction {
  if (!isObject(value))
    return identifiesPerson(value, isTheirs)
      ? { value: ERASED, parts: removedPart('', value) }
      : { value, parts: [] }
  const { metadata, ...members } = value
  const redaction = mapMembers(members, (member, key) => {
    const inner = redactLists(member, { isTheirs, place: key, depth: 0 })
    return !Array.isArray(inner.value) && identifiesPerson(inner.value, isTheirs)
      ? { value: isObject(member) ? ERASED : null, parts: removedPart(key, member) }
      : inner
  })
  const told = redaction.parts.length === 0 ? [] : ABOUT_PERSON.filter((name) => name in members)
  return {
    value: {
      ...(metadata === undefined ? {} : { metadata }),
      ...redaction.value,
      ...Object.fromEntries(told.map((name) => [name, ERASED])),
    },
    parts: [...redaction.parts, ...told.flatMap((name) => removedPart(name, members[name]))],
  }
}

/** Members that speak about the person of a change without naming them. */
const ABOUT_PERSON = ['conversation_context', 'control_passed', 'control_taken']

interface Position {
  isTheirs: IsTheirs
  place: string
  depth: number
}

/** Removes the person's elements from all lists in a value. */
function redactLists(value: unknown, { isTheirs, place, depth }: Position): Redaction {
  if (typeof value !== 'object' || value === null) return { value, parts: [] }
  if (depth > MAX_DEPTH) return { value: ERASED, parts: removedPart(place, value) }
  if (!Array.isArray(value))
    return mapMembers(value as JsonObject, (member, key) =>
      redactLists(member, { isTheirs, place: `${place}.${key}`, depth: depth + 1 }),
    )
  const items = value.map((item: unknown, index): Redaction => {
    const at = `${place}[${index}]`
    const inner = redactLists(item, { isTheirs, place: at, depth: depth + 1 })
    return identifiesPerson(inner.value, isTheirs)
      ? { value: ERASED, parts: removedPart(at, item) }
      : inner
  })
  return { value: items.map((item) => item.value), parts: items.flatMap(({ parts }) => parts) }
}

function mapMembers(
  value: JsonObject,
  redaction: (member: unknown, key: string) => Redaction,
): Redaction<JsonObject> {
  const members = Object.entries(value).map(
    ([key, member]) => [key, redaction(member, key)] as const,
  )
  return {
    value: Object.fromEntries(members.map(([key, inner]) => [key, inner.value])),
    parts: members.flatMap(([, { parts }]) => parts),
  }
}

/**
 * Reports whether a value is or contains one of the numbers and IDs. Its lists have already been
 * filtered.
 */
function identifiesPerson(value: unknown, isTheirs: IsTheirs): boolean {
  if (typeof value !== 'object' || value === null) return isTheirs(value)
  return (
    !Array.isArray(value) &&
    Object.values(value).some((member) => identifiesPerson(member, isTheirs))
  )
}
