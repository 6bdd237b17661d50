import type { TSchema } from '@sinclair/typebox'

import { normalizeId } from '../lib/ids'

/**
 * Normalizes the IDs in a value to lower case, as they are stored. Changes the value in place and
 * returns it, or its replacement.
 */
type NormalizeIds = (value: unknown) => unknown

/** Where a route's requests hold IDs. Parts without IDs are absent. */
export interface IdPlaces {
  params?: NormalizeIds
  query?: NormalizeIds
  body?: NormalizeIds
}

const PARTS = ['params', 'query', 'body'] as const

/** The parts of a request in Elysia's context. */
interface Parts {
  params?: unknown
  query?: unknown
  body?: unknown
}

/** Returns the key of a route in the map of ID places. */
export const routeName = (method: string, path: string): string => `${method} ${path}`

/**
 * Returns where the requests of each route hold IDs, from their schemas. Routes without IDs are
 * left out.
 */
export const idPlacesOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): [route: string, places: IdPlaces][] =>
  routes.flatMap(({ method, path, hooks }) => {
    const schemas = hooks as Parts | undefined
    const places: IdPlaces = {}
    for (const part of PARTS) {
      const respell = respellerOf(schemas?.[part])
      if (respell) places[part] = respell
    }
    return Object.keys(places).length === 0 ? [] : [[routeName(method, path), places]]
  })

/**
 * Converts the IDs of a request to lower case before it is handled. UUIDs are case-insensitive (RFC
 * 9562, 4).
 */
export function normalizeIds(places: IdPlaces | undefined, request: Parts): void {
  for (const part of PARTS) places?.[part]?.(request[part])
}

/** How the ids that a schema names are respelled in a value; `null` when it names none. */
function respellerOf(schema: unknown): NormalizeIds | null {
  if (typeof schema !== 'object' || schema === null) return null
  const { format, anyOf, allOf, items, properties, patternProperties } = schema as TSchema &
    Record<string, unknown>
  if (format === 'uuid') return (value) => (typeof value === 'string' ? normalizeId(value) : value)
  const branches = [anyOf, allOf]
    .flatMap((list) => (Array.isArray(list) ? list.map(respellerOf) : []))
    .filter((each) => each !== null)
  if (branches.length > 0)
    return (value) => branches.reduce((respelled, branch) => branch(respelled), value)
  const item = respellerOf(items)
  if (item)
    return (value) =>
      Array.isArray(value) ? respellEntries(value, value.keys(), () => item) : value
  return objectRespeller(properties, patternProperties)
}

function objectRespeller(properties: unknown, patternProperties: unknown): NormalizeIds | null {
  const named = new Map(
    Object.entries(properties ?? {}).flatMap(([key, inner]) => {
      const respell = respellerOf(inner)
      return respell ? [[key, respell] as const] : []
    }),
  )
  const every = respellerOf(Object.values(patternProperties ?? {})[0])
  if (named.size === 0 && !every) return null
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    return respellEntries(
      value as Record<string, unknown>,
      Object.keys(value),
      (key) => named.get(key) ?? every,
    )
  }
}

function respellEntries<K extends PropertyKey>(
  holder: Record<K, unknown>,
  keys: Iterable<K>,
  respellerAt: (key: K) => NormalizeIds | null | undefined,
): Record<K, unknown> {
  for (const key of keys) {
    const respell = respellerAt(key)
    if (respell) holder[key] = respell(holder[key])
  }
  return holder
}
