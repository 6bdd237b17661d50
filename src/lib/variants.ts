import { Type, type TObject, type TProperties } from '@sinclair/typebox'

/** The key of a schema under which its variants stand. The API document makes a `oneOf` of them. */
export const VARIANTS_KEY = 'x-variants'

/** The shapes of an object, by the value of one of its fields. */
export interface Variants {
  by: string
  of: Record<string, TObject>
}

/**
 * Returns a schema that the API document shows as one named schema for each value of the field
 * `by`: with the fields given for that value, and all fields that no value names. Values are
 * checked against `schema` alone. It needs a title.
 */
export function withVariants<S extends TObject>(
  schema: S,
  by: string,
  fields: Record<string, TProperties>,
): S {
  const of = Object.fromEntries(
    Object.entries(fields).map(([value, own]) => [
      value,
      Type.Object({ [by]: Type.Literal(value), ...own }),
    ]),
  )
  const variants: Variants = { by, of }
  return { ...schema, [VARIANTS_KEY]: variants }
}
