import { expandVariants, hasVariants } from './variants'

/** A JSON object. */
type Json = Record<string, unknown>

/**
 * Moves schemas with a title to the components and refers to them, so that each is named once and
 * generated clients get its name.
 */
export function liftTitled(value: unknown, named: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => liftTitled(item, named))
  if (typeof value !== 'object' || value === null) return value
  // An example is no schema, whatever its fields are called.
  const lifted = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'example' || key === 'examples' ? inner : liftTitled(inner, named),
    ]),
  )
  const { title } = lifted
  if (typeof title !== 'string' || !('type' in lifted || 'anyOf' in lifted || 'allOf' in lifted))
    return lifted
  if (!named.has(title))
    for (const [name, schema] of hasVariants(lifted)
      ? expandVariants(title, lifted)
      : [[title, lifted] as const])
      named.set(name, schema)
  return { $ref: `#/components/schemas/${title}` }
}
