import { fieldSentence, InvalidError } from '../../../../lib/errors'

const MAX_VALUES = 200

const MAX_VALUE_LENGTH = 255

/** Determines which operators a field accepts. */
export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'word' | 'id' | 'any'

/** Returns the error for an invalid part of a filter. */
export const refuse = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/** Operator and value of a condition, and its path in the request. */
export interface Comparison {
  op: string
  value: unknown
  path: string
}

/** Requires a text of valid length. Throws InvalidError. */
export function asText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_VALUE_LENGTH)
    throw refuse(path, `must be a string of 1 to ${MAX_VALUE_LENGTH} characters`)
  return value
}

/** Requires a finite number. Throws InvalidError. */
export function asNumber(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(path, 'must be a number')
  return value
}

/** Reads the value of `exists`, which defaults to true. */
export function asBoolean(value: unknown, path: string): boolean {
  if (value === undefined) return true
  if (typeof value !== 'boolean') throw refuse(`${path}.value`, 'must be true or false')
  return value
}

/** Requires a list and reads each value. Throws InvalidError. */
export function listOf<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): T[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES)
    throw refuse(`${path}.value`, `must be a list of 1 to ${MAX_VALUES} values`)
  return value.map((one: unknown, index) => read(one, `${path}.value.${index}`))
}
