import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Tells whether values have the shape of a schema. It is compiled when it is asked for the first
 * time: the program knows a hundred shapes when it starts, and most commands and many servers meet
 * few of them.
 */
export const shapeOf =
  (schema: TSchema): ((value: unknown) => boolean) =>
  (value) => {
    const known = compiled.get(schema)
    if (known) return known.Check(value)
    const made = TypeCompiler.Compile(schema)
    compiled.set(schema, made)
    return made.Check(value)
  }
