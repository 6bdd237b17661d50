import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Returns a type guard for a schema. Compiled on first use: the program has about a hundred
 * schemas, and most commands use few of them.
 */
export const typeGuardOf =
  (schema: TSchema): ((value: unknown) => boolean) =>
  (value) => {
    const cached = compiled.get(schema)
    if (cached) return cached.Check(value)
    const check = TypeCompiler.Compile(schema)
    compiled.set(schema, check)
    return check.Check(value)
  }
