import 'elysia' // registers the formats of texts, such as `uuid`

import { Kind, Type, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

import { VARIANTS_KEY, type Variants } from '../../src/lib/variants'

/** Reports whether a value matches a schema and has no properties beyond it. */
export type IsExact = (value: unknown) => boolean

/** Returns an exact check for a schema. It is compiled on first use. */
export function exactCheck(schema: TSchema): IsExact {
  let check: IsExact | null = null
  return (value) => (check ??= compileCheck(schema))(value)
}

/**
 * Compiles the check. A schema that cannot be checked exactly never passes, so its responses are
 * validated the slow way.
 */
function compileCheck(schema: TSchema): IsExact {
  const exact = closeSchema(schema)
  if (!exact) return () => false
  const compiled = TypeCompiler.Compile(exact)
  return (value) => compiled.Check(value)
}

/**
 * Schema kinds without objects, or with objects of arbitrary keys. They have no unknown properties
 * to detect.
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
  'FreeObject',
  'OneOf',
  'CheckedText',
])

/** The nested schemas that this file reads. */
interface NestedSchemas {
  items?: TSchema | TSchema[]
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: unknown
}

/**
 * Returns the schema with `additionalProperties: false` on every object, or `null` if it contains
 * an unsupported kind.
 */
function closeSchema(schema: TSchema): TSchema | null {
  const kind = String(schema[Kind])
  const { items, anyOf, properties, patternProperties, additionalProperties } =
    schema as NestedSchemas
  if (kind === 'String' && Array.isArray(schema['enum']))
    return Type.Union((schema['enum'] as string[]).map((word) => Type.Literal(word)))
  if (OPEN_KINDS.has(kind)) return schema
  if (VARIANTS_KEY in schema) return closeVariants(schema as TObject)
  if (kind === 'Array' && items !== undefined && !Array.isArray(items))
    return withNested(schema, { items: closeSchema(items) })
  if (kind === 'Union' && anyOf)
    return withNested(schema, { anyOf: allOrNull(anyOf.map(closeSchema)) })
  if (kind === 'Record' && patternProperties)
    return withNested(schema, { patternProperties: closeAll(patternProperties) })
  if (
    kind !== 'Object' ||
    !properties ||
    (additionalProperties !== undefined && typeof additionalProperties !== 'boolean')
  )
    return null
  const closedProperties = closeAll(properties)
  return (
    closedProperties &&
    ({
      ...schema,
      properties: closedProperties,
      additionalProperties: additionalProperties === true,
    } as TSchema)
  )
}

/** Returns the schema of an object with variants as the union of these, each closed. */
function closeVariants({ [VARIANTS_KEY]: variants, ...schema }: TObject): TSchema | null {
  const { of } = variants as Variants
  return closeSchema(
    Type.Union(
      Object.values(of).map(({ properties }) =>
        Type.Object({ ...schema.properties, ...properties }),
      ),
    ),
  )
}

const withNested = (schema: TSchema, nested: Record<string, unknown>): TSchema | null =>
  Object.values(nested).includes(null) ? null : { ...schema, ...nested }

const allOrNull = (schemas: (TSchema | null)[]): TSchema[] | null =>
  schemas.includes(null) ? null : (schemas as TSchema[]) // checked by `includes`

function closeAll(schemas: Record<string, TSchema>): Record<string, TSchema> | null {
  const entries = Object.entries(schemas).map(
    ([name, schema]) => [name, closeSchema(schema)] as const,
  )
  return entries.some(([, schema]) => schema === null)
    ? null
    : (Object.fromEntries(entries) as Record<string, TSchema>) // checked by `every`
}
