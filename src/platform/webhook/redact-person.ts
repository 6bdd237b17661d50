import { isObject, type JsonObject } from '../lenient-json'
import { phoneDigitsOf, userIdOf } from './sender'

/** Far deeper than real payloads. Deeper values are removed unread. */
const DEEPEST = 64

/** Replaces data about an erased person. Readers treat it as an empty item. */
const ERASED = { erased: true }

/** Reports whether an item of a webhook was about an erased person. */
export const isErased = (item: unknown): boolean => isObject(item) && item['erased'] === true

/**
 * Returns a value that may be a person's phone number or user ID, or `null` if it has the form of
 * neither.
 */
export const nameIn = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number'
    ? (userIdOf(value) ?? phoneDigitsOf(value))
    : null

/** Reports whether a value is one of a person's numbers or IDs. */
export type IsTheirs = (value: unknown) => boolean

/** A part of a webhook change that identifies a person, and its path: `messages[0]`. */
export interface NamingPart {
  place: string
  value: unknown
}

interface Left<T = unknown> {
  value: T
  parts: NamingPart[]
}

const taken = (place: string, value: unknown): NamingPart[] => [{ place, value }]

/**
 * Removes from a change's value the smallest list elements that contain one of a person's numbers
 * or IDs, even if they also concern other people. Returns the remaining value and the removed
 * parts.
 */
export function withoutPerson(value: unknown, isTheirs: IsTheirs): Left {
  if (!isObject(value))
    return names(value, isTheirs)
      ? { value: ERASED, parts: taken('', value) }
      : { value, parts: [] }
  const { metadata, ...members } = value
  const left = mapMembers(members, (member, key) => {
    const inner = stripped(member, { isTheirs, place: key, depth: 0 })
    return !Array.isArray(inner.value) && names(inner.value, isTheirs)
      ? { value: null, parts: taken(key, member) }
      : inner
  })
  return {
    value: { ...(metadata === undefined ? {} : { metadata }), ...left.value },
    parts: left.parts,
  }
}

interface At {
  isTheirs: IsTheirs
  place: string
  depth: number
}

/** Removes the person's elements from all lists in a value. */
function stripped(value: unknown, { isTheirs, place, depth }: At): Left {
  if (typeof value !== 'object' || value === null) return { value, parts: [] }
  if (depth > DEEPEST) return { value: ERASED, parts: taken(place, value) }
  if (!Array.isArray(value))
    return mapMembers(value as JsonObject, (member, key) =>
      stripped(member, { isTheirs, place: `${place}.${key}`, depth: depth + 1 }),
    )
  const items = value.map((item: unknown, nth): Left => {
    const at = `${place}[${nth}]`
    const inner = stripped(item, { isTheirs, place: at, depth: depth + 1 })
    return names(inner.value, isTheirs) ? { value: ERASED, parts: taken(at, item) } : inner
  })
  return { value: items.map((item) => item.value), parts: items.flatMap(({ parts }) => parts) }
}

function mapMembers(
  value: JsonObject,
  left: (member: unknown, key: string) => Left,
): Left<JsonObject> {
  const members = Object.entries(value).map(([key, member]) => [key, left(member, key)] as const)
  return {
    value: Object.fromEntries(members.map(([key, inner]) => [key, inner.value])),
    parts: members.flatMap(([, { parts }]) => parts),
  }
}

/**
 * Reports whether a value is or contains one of the numbers and IDs. Its lists have already been
 * filtered.
 */
function names(value: unknown, isTheirs: IsTheirs): boolean {
  if (typeof value !== 'object' || value === null) return isTheirs(value)
  return !Array.isArray(value) && Object.values(value).some((member) => names(member, isTheirs))
}
