import { UUID_PATTERN } from '../../lib/ids'

type Json = Record<string, unknown>

/** Words that TypeBox or Elysia put into schemas and JSON Schema does not know. */
const FOREIGN = new Set(['$id', 'nullable', 'error', 'missing', 'coerce', 'rule'])

/**
 * A schema as other programs read it best: without foreign words, with the coercion `string or T`
 * of a query parameter shown as the T it means, a choice of words as one `enum`, `T or null` as one
 * schema of both types, and variants that a field tells apart as `oneOf`.
 */
export function cleanSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(cleanSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, ...rest } = schema as Json
  if (!Array.isArray(anyOf)) return cleanMembers(rest)
  const variants = (anyOf as Json[]).flatMap(withoutNesting)
  const meant = joinWords(variants.filter((variant) => !isCoercion(variant, variants)))
  const [first, other] = meant
  if (first && !other) return cleanSchema({ ...first, ...rest })
  if (first && other && meant.length === 2 && isNull(other) && canBeNull(first))
    return cleanMembers({ ...orNull(typed(first)), ...rest })
  return cleanMembers({ ...rest, ['discriminator' in rest ? 'oneOf' : 'anyOf']: meant })
}

/** A choice inside a choice, as its variants. */
const withoutNesting = (variant: Json): Json[] =>
  Array.isArray(variant['anyOf']) && Object.keys(variant).length === 1
    ? (variant['anyOf'] as Json[]).flatMap(withoutNesting)
    : [variant]

/** Variants with all fixed words of one type as a single variant. */
function joinWords(variants: Json[]): Json[] {
  const words = variants.filter(
    (one) => 'const' in one && Object.keys(one).every((key) => key === 'const' || key === 'type'),
  )
  const [first] = words
  if (!first || words.length < 2 || words.some(({ type }) => type !== first['type']))
    return variants
  const joined = { type: first['type'], enum: words.map((one) => one['const']) }
  return [joined, ...variants.filter((one) => !words.includes(one))]
}

/**
 * Whether `null` can be added to the type of a schema. A schema with a name keeps it; generators
 * make a type of their own of an object, and lose that it may be `null`.
 */
const canBeNull = (schema: Json): boolean => {
  const { type } = typed(schema)
  return typeof type === 'string' && type !== 'object' && !('title' in schema || 'const' in schema)
}

const orNull = ({ type, ...schema }: Json): Json => ({
  ...schema,
  type: [type, 'null'],
  ...(Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
})

/**
 * Elysia adds this to schemas of compiled routes for its own use. Unknown fields are ignored, not
 * refused.
 */
const isOfElysia = (key: string, value: unknown): boolean =>
  key === 'additionalProperties' && value === false

/**
 * A schema with only additional properties is an object, and one with only items is a list
 * (`lib/fields.ts`).
 */
function typed(schema: Json): Json {
  if (schema['type'] !== undefined) return schema
  if (schema['additionalProperties'] === true) return { type: 'object', ...schema }
  return schema['items'] === undefined ? schema : { type: 'array', ...schema }
}

/**
 * The format alone lets some programs send `urn:uuid:`, which is refused. Programs in Go cannot
 * check a pattern of what may be `null`.
 */
const withIdPattern = (schema: Json): Json =>
  schema['format'] === 'uuid' && schema['type'] === 'string'
    ? { ...schema, pattern: `^${UUID_PATTERN}$` }
    : schema

const cleanMembers = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(withIdPattern(typed(schema)))
      .filter(([key, value]) => !FOREIGN.has(key) && value !== undefined && !isOfElysia(key, value))
      .map(([key, value]) => [key, cleanMember(key, value)]),
  )

const isNull = (schema: unknown): boolean => (schema as Json)['type'] === 'null'

/** A field that is always null. Generators have no type for `null` alone. */
const ALWAYS_NULL = { type: ['object', 'null'], description: 'Always `null`.', examples: [null] }

/** Property names are the API's own words and never keywords; their values are schemas. */
function cleanMember(key: string, value: unknown): unknown {
  if (key === 'examples' || key === 'default' || key === 'enum' || key === 'const') return value
  if (key !== 'properties') return cleanSchema(value)
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, property]) => [
      name,
      isNull(property) ? ALWAYS_NULL : cleanSchema(property),
    ]),
  )
}

/**
 * Elysia accepts a query number also as text: `anyOf: [{type: string, format: integer}, {type:
 * integer}]`.
 */
const isCoercion = (variant: Json, all: Json[]): boolean =>
  variant['type'] === 'string' &&
  ['integer', 'numeric', 'number', 'boolean', 'ObjectString', 'ArrayString'].includes(
    String(variant['format']),
  ) &&
  all.length > 1
