import { isObject, type JsonObject } from '../lenient-json'
import { phoneDigitsOf, userIdOf } from './sender'

/** Deeper than anything the platform sends; what lies there is taken out unread. */
const DEEPEST = 64

/** What stands where something about an erased person stood; who reads it finds nothing. */
const ERASED = { erased: true }

/** Whether an item of a delivery was about somebody who was erased. */
export const isErased = (item: unknown): boolean => isObject(item) && item['erased'] === true

/** The number or id a value may name a person by; `null` of one that has not the form of either. */
export const nameIn = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number'
    ? (userIdOf(value) ?? phoneDigitsOf(value))
    : null

/** Whether a value is one of a person's numbers and ids. */
export type IsTheirs = (value: unknown) => boolean

/** A part of a change's value that names a person, and where it stands: `messages[0]`. */
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
 * Takes the smallest parts of a change's lists that name a person by number or id out of its value,
 * whoever else it is about. Returns what is left and the parts, none where it names nobody of that
 * kind.
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

/** A value whose lists hold nothing that names the person. */
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
 * Whether a value is or holds one of the numbers and ids; its lists were looked through already.
 */
function names(value: unknown, isTheirs: IsTheirs): boolean {
  if (typeof value !== 'object' || value === null) return isTheirs(value)
  return !Array.isArray(value) && Object.values(value).some((member) => names(member, isTheirs))
}
