import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

/** Whether a value is what a schema says and holds nothing that the schema does not name. */
export type IsExact = (value: unknown) => boolean

/** Tells whether a value is exactly what a schema says; compiled when it is first asked. */
export function exactCheck(schema: TSchema): IsExact {
  let check: IsExact | null = null
  return (value) => (check ??= checkOf(schema))(value)
}

/**
 * The check of a schema; one that cannot be told exactly is never passed, so that such answers take
 * the long way.
 */
function checkOf(schema: TSchema): IsExact {
  const exact = closed(schema)
  if (!exact) return () => false
  const compiled = TypeCompiler.Compile(exact)
  return (value) => compiled.Check(value)
}

/**
 * Kinds that hold no objects, or objects with any keys: they name nothing that could be left out.
 */
const OPEN_KINDS = new Set([
  'Literal',
  'String',
  'Number',
  'Integer',
  'Boolean',
  'Null',
  'Unknown',
  'Any',
  'UnionEnum',
])

/** What a schema consists of, as far as it is looked at here. */
interface Parts {
  items?: TSchema | TSchema[]
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: unknown
}

/**
 * The schema with every object in it closed to what it names; `null` when something in it is of a
 * kind that is not known here.
 */
function closed(schema: TSchema): TSchema | null {
  const kind = String(schema[Kind])
  const { items, anyOf, properties, patternProperties, additionalProperties } = schema as Parts
  if (OPEN_KINDS.has(kind)) return schema
  if (kind === 'Array' && items !== undefined && !Array.isArray(items))
    return withParts(schema, { items: closed(items) })
  if (kind === 'Union' && anyOf) return withParts(schema, { anyOf: all(anyOf.map(closed)) })
  if (kind === 'Record' && patternProperties)
    return withParts(schema, { patternProperties: allOf(patternProperties) })
  if (
    kind !== 'Object' ||
    !properties ||
    (additionalProperties !== undefined && additionalProperties !== false)
  )
    return null
  const named = allOf(properties)
  return named && ({ ...schema, properties: named, additionalProperties: false } as TSchema)
}

const withParts = (schema: TSchema, parts: Record<string, unknown>): TSchema | null =>
  Object.values(parts).includes(null) ? null : { ...schema, ...parts }

const all = (schemas: (TSchema | null)[]): TSchema[] | null =>
  schemas.includes(null) ? null : (schemas as TSchema[]) // just looked

function allOf(schemas: Record<string, TSchema>): Record<string, TSchema> | null {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, closed(schema)] as const)
  return entries.some(([, schema]) => schema === null)
    ? null
    : (Object.fromEntries(entries) as Record<string, TSchema>) // just looked
}
