import { InvalidError, fieldSentence, type FieldProblem } from '../lib/errors'
import { routeName } from './normalize-ids'

/**
 * Lists and texts up to these sizes are left to the validation, which names all problems at once.
 * Longer ones cost it far more time than the answer is worth.
 */
const SMALL = { items: 500, characters: 10_000 } as const

/** A schema as far as it bounds sizes. */
interface Bounding {
  type?: string
  maxItems?: number
  maxLength?: number
  enum?: unknown
  const?: unknown
  format?: string
  error?: unknown
  anyOf?: Bounding[]
  items?: Bounding
  properties?: Record<string, Bounding>
}

/** Returns the first list or text in a value that is much too long. */
export type FindOversized = (value: unknown, path: string) => FieldProblem | null

/** A character takes two places in a text at most. */
const PLACES_PER_CHARACTER = 2
/** A text of a format or of fixed words is never longer. */
const LONGEST_WORD = 255

const branchesOf = (schema: Bounding): Bounding[] => schema.anyOf?.flatMap(branchesOf) ?? [schema]

const mostItemsOf = ({ items, maxItems }: Bounding): number =>
  items === undefined ? 0 : (maxItems ?? Infinity)

const isWord = (schema: Bounding): boolean =>
  schema.enum !== undefined ||
  schema.const !== undefined ||
  ['uuid', 'date', 'date-time'].includes(schema.format ?? '')

const mostCharactersOf = (schema: Bounding): number =>
  isWord(schema) ? LONGEST_WORD : schema.type === 'string' ? (schema.maxLength ?? Infinity) : 0

/**
 * Returns what looks for lists and texts that are much too long for a schema, before they are
 * validated; `null` if the schema bounds nothing.
 */
export function oversizedFinderOf(schema: unknown): FindOversized | null {
  if (typeof schema !== 'object' || schema === null) return null
  const branches = branchesOf(schema)
  const mostItems = Math.max(...branches.map(mostItemsOf))
  const mostCharacters = Math.max(...branches.map(mostCharactersOf))
  const own = branches.map(({ error }) => error).find((error) => typeof error === 'string')
  const [ofItems] = branches.map(({ items }) => oversizedFinderOf(items)).filter((one) => one)
  const ofFields = new Map<string, FindOversized>()
  for (const { properties = {} } of branches)
    for (const [name, field] of Object.entries(properties)) {
      const find = oversizedFinderOf(field)
      if (find) ofFields.set(name, find)
    }
  return (value, path) => {
    if (typeof value === 'string')
      return value.length > Math.max(mostCharacters * PLACES_PER_CHARACTER, SMALL.characters) &&
        mostCharacters > 0
        ? { path, message: own ?? `must have at most ${mostCharacters} characters` }
        : null
    if (Array.isArray(value)) {
      if (mostItems > 0 && value.length > Math.max(mostItems, SMALL.items))
        return { path, message: own ?? `must have at most ${mostItems} items` }
      return ofItems ? firstOf(value.entries(), () => ofItems, path) : null
    }
    if (typeof value !== 'object' || value === null || ofFields.size === 0) return null
    return firstOf(Object.entries(value), (name) => ofFields.get(name), path)
  }
}

function firstOf<K extends string | number>(
  entries: Iterable<[K, unknown]>,
  finderOf: (key: K) => FindOversized | undefined,
  path: string,
): FieldProblem | null {
  for (const [key, inner] of entries) {
    const found = finderOf(key)?.(inner, `${path}.${key}`) ?? null
    if (found) return found
  }
  return null
}

/** Refuses a body with a list or text that is much too long. Throws InvalidError `invalid_input`. */
export function refuseOversized(find: FindOversized | undefined, body: unknown): void {
  const found = find?.(body, 'body') ?? null
  if (found)
    throw new InvalidError(fieldSentence(found.path, found.message), {
      code: 'invalid_input',
      errors: [found],
    })
}

/** Returns what looks for oversized parts in the bodies of each route. */
export const oversizedFindersOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): [route: string, find: FindOversized][] =>
  routes.flatMap(({ method, path, hooks }) => {
    const find = oversizedFinderOf((hooks as { body?: unknown } | undefined)?.body)
    return find ? [[routeName(method, path), find]] : []
  })
