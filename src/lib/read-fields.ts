import {
  Kind,
  OptionalKind,
  Type,
  type Static,
  type TArray,
  type TObject,
  type TProperties,
  type TSchema,
} from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { freeObjectProblems } from './free-object'
import { boundedList, requiredText, type Report } from './input-problems'

const described = (description?: string) => (description === undefined ? {} : { description })

/** Returns the schema of a required text. */
export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...described(description) })

/** Returns the schema of a text that may be left out. The empty text is none. */
export const optionalText = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, ...described(description) }))

/** What a schema reads: a list for an optional list that was not sent, `null` for other values. */
export type ReadFields<P extends TProperties> = {
  [K in keyof P]: P[K] extends TArray
    ? ReadValue<P[K]>
    : P[K] extends { [OptionalKind]: 'Optional' }
      ? ReadValue<P[K]> | null
      : ReadValue<P[K]>
}
type ReadValue<S extends TSchema> =
  S extends TObject<infer P>
    ? ReadFields<P>
    : S extends TArray<infer I>
      ? ReadValue<I>[]
      : Static<S>

/** Limits of an object whose fields only the platform knows. */
const MAX_FREE = { bytes: 64 * 1_024, levels: 10 }

/**
 * Reads the fields of an object by their schemas, in the order of these. The values have the right
 * types already; reported is what is missing, blank, too long, too many, out of range, or against
 * the rule of a text. Returns texts with plain line ends, and no other fields.
 */
export const readFields = <P extends TProperties>(
  report: Report,
  path: string,
  fields: P,
  given: object,
): ReadFields<P> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      readValue(report, `${path}.${name}`, schema, (given as Record<string, unknown>)[name]),
    ]),
  ) as ReadFields<P> // each value is read by the schema of its field

function readValue(report: Report, path: string, schema: TSchema, value: unknown): unknown {
  const isMissing = value === undefined || value === ''
  if (isMissing && OptionalKind in schema) return schema['type'] === 'array' ? [] : null
  if (value === undefined) report(path, schema['missing'] ?? 'is required')
  if (schema[Kind] === 'FreeObject')
    return readFree(report, path, (value ?? {}) as Record<string, unknown>)
  switch (schema['type']) {
    case 'string':
      return readText(report, path, schema, value as string | undefined)
    case 'object':
      return value === undefined
        ? {}
        : readFields(report, path, schema['properties'], value as object)
    case 'array':
      return boundedList(report, path, value as unknown[] | undefined, [
        schema['minItems'] ?? 0,
        schema['maxItems'] ?? Infinity,
      ]).map((item, index) => readValue(report, `${path}.${index}`, schema['items'], item))
    default:
      if (typeof value === 'number') checkRange(report, path, schema, value)
      return value
  }
}

/** Reads a text. One without a limit, such as an ID, stays as it is. */
function readText(
  report: Report,
  path: string,
  schema: TSchema,
  value: string | undefined,
): string {
  const { maxLength, error } = schema
  const text =
    maxLength === undefined ? (value ?? '') : requiredText(report, path, value, maxLength)
  if (typeof error === 'string' && !Value.Check(schema, text)) report(path, error)
  return text
}

function readFree(
  report: Report,
  path: string,
  value: Record<string, unknown>,
): Record<string, unknown> {
  for (const problem of freeObjectProblems(value, path, MAX_FREE))
    report(problem.path, problem.message)
  return value
}

function checkRange(report: Report, path: string, schema: TSchema, value: number): void {
  const { minimum = -Infinity, maximum = Infinity } = schema
  if (value < minimum || value > maximum)
    report(path, `must be a number from ${minimum} to ${maximum}`)
}
