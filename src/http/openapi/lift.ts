import { expandVariants, hasVariants } from './variants'

/** A JSON object. */
type Json = Record<string, unknown>

/** Words that only a schema has. */
const SHAPES = ['type', 'anyOf', 'allOf', 'oneOf']

/**
 * Moves schemas with a title to the components and refers to them, so that each is named once and
 * generated clients get its name.
 */
export function liftTitled(value: unknown, named: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => liftTitled(item, named))
  if (typeof value !== 'object' || value === null) return value
  const lifted = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, liftMember(key, inner, named)]),
  )
  const { title } = lifted
  if (typeof title !== 'string' || !SHAPES.some((word) => word in lifted)) return lifted
  if (!named.has(title))
    for (const [name, schema] of hasVariants(lifted)
      ? expandVariants(title, lifted, named)
      : [[title, lifted] as const])
      named.set(name, schema)
  return { $ref: `#/components/schemas/${title}` }
}

/** An example is no schema, whatever its fields are called; a field may be called `example`. */
function liftMember(key: string, value: unknown, named: Map<string, Json>): unknown {
  if (key === 'example' || key === 'examples') return value
  if (key !== 'properties') return liftTitled(value, named)
  return Object.fromEntries(
    Object.entries(value as Json).map(([name, property]) => [name, liftTitled(property, named)]),
  )
}
