import { VARIANTS_KEY } from '../../lib/variants'

/** A JSON object. */
type Json = Record<string, unknown>

const pascal = (word: string): string =>
  word.replaceAll(/(?:^|[_:])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The name of a variant: a `MessageInput` that is an `image` is an `ImageMessageInput`. */
function nameOf(title: string, value: string): string {
  const noun = /[A-Z][a-z]*(?:Input)?$/.exec(title)?.[0] ?? ''
  return `${title.slice(0, title.length - noun.length)}${pascal(value)}${noun}`
}

/** Whether a schema has variants. */
export const hasVariants = (schema: Json): boolean => VARIANTS_KEY in schema

/**
 * Returns the schemas of a schema with variants, by name: the schema itself as a `oneOf`, each
 * variant with all its fields, and the objects in fields that all variants have. Each
 * variant is written out, because some generators lose what a part of `allOf` says of `null`.
 * `known` are the schemas that have a name already.
 */
export function expandVariants(
  title: string,
  schema: Json,
  known: ReadonlyMap<string, Json>,
): Map<string, Json> {
  const { [VARIANTS_KEY]: variants, properties, required, description, examples } = schema
  const { by, of } = variants as { by: string; of: Record<string, Json> }
  const own = new Set(Object.values(of).flatMap((one) => Object.keys(one['properties'] as Json)))
  const named = new Map<string, Json>()
  const common = Object.fromEntries(
    Object.entries((properties ?? {}) as Record<string, Json>)
      .filter(([name]) => !own.has(name))
      .map(([name, field]) => [name, withName(title + pascal(name), field, { known, named })]),
  )
  const needed = ((required ?? []) as string[]).filter((name) => name in common)
  const refs = Object.keys(of).map((value) => `#/components/schemas/${nameOf(title, value)}`)
  named.set(title, {
    title,
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    oneOf: refs.map(($ref) => ({ $ref })),
    discriminator: {
      propertyName: by,
      mapping: Object.fromEntries(Object.keys(of).map((value, index) => [value, refs[index]])),
    },
  })
  for (const [value, one] of Object.entries(of)) {
    const name = nameOf(title, value)
    named.set(name, {
      ...one,
      title: name,
      required: [...needed, ...((one['required'] ?? []) as string[])],
      properties: { ...common, ...(one['properties'] as Json) },
    })
  }
  return named
}

/** Schemas by name: those that others made, and those that are made here. */
interface Names {
  known: ReadonlyMap<string, Json>
  named: Map<string, Json>
}

/** Gives the object in a field a name, so that all variants share its type. */
function withName(name: string, field: Json, names: Names): Json {
  const { anyOf, items } = field as { anyOf?: Json[]; items?: Json }
  if (anyOf?.some((one) => 'properties' in one))
    return {
      ...field,
      anyOf: anyOf.map((one) => ('properties' in one ? withName(name, one, names) : one)),
    }
  if (items && 'properties' in items)
    return { ...field, items: withName(`${name}Item`, items, names) }
  if (!('properties' in field) || names.known.has(name)) return field
  const { description, ...shape } = field
  names.named.set(name, { title: name, ...shape })
  const $ref = `#/components/schemas/${name}`
  return description === undefined ? { $ref } : { description, $ref }
}
