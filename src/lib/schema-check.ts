import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Returns a type guard for a schema. Compiled on first use: the program has about a hundred
 * schemas, and most commands use few of them.
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
