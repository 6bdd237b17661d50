import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import { isCalendarDate } from '../../../../lib/instant'
import { isPrintable } from '../../../../lib/printable'
import { webUrl } from '../../../../lib/web-url'
import type { Ctx } from '../../../../infra/ctx'
import { definitionsOf, type AttributeRow } from './service'

/** Value of a custom field. `null` removes it. */
export type AttributeValue = string | number | boolean | null

const MAX_TEXT_LENGTH = 4_096
const MAX_URL_LENGTH = 2_048
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/

/** Validates a value of each type. Returns the problem, or `null`. */
const PROBLEMS: Record<AttributeRow['type'], (value: unknown, options: string[]) => string | null> =
  {
    text: (value) =>
      typeof value !== 'string'
        ? 'must be a string'
        : [...value].length > MAX_TEXT_LENGTH
          ? `must have at most ${MAX_TEXT_LENGTH} characters`
          : null,
    number: (value) =>
      typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number',
    boolean: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
    date: (value) =>
      typeof value === 'string' && isCalendarDate(value)
        ? null
        : 'must be a date such as 2026-11-21',
    select: (value, options) =>
      typeof value === 'string' && options.includes(value)
        ? null
        : `must be one of ${options.join(', ')}`,
    url: (value) =>
      typeof value === 'string' && isPrintable(value) && isWebAddress(value)
        ? null
        : 'must be a URL that begins with http:// or https://',
    email: (value) =>
      typeof value === 'string' && value.length <= 255 && isPrintable(value) && EMAIL.test(value)
        ? null
        : 'must be an email address',
  }

const isWebAddress = (text: string): boolean =>
  text.length <= MAX_URL_LENGTH && webUrl(text) !== null

/**
 * Returns the problems of custom field values by key: unknown keys and values of the wrong type.
 * `null` is always valid.
 */
export function problemsOfAttributes(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  values: Record<string, unknown>,
): FieldProblem[] {
  const keys = Object.keys(values)
  if (keys.length === 0) return []
  const definitions = definitionsOf(ctx)
  return keys.flatMap((key) => {
    const definition = definitions.get(key)
    const path = `body.attributes.${key}`
    if (!definition) return [{ path, message: 'is not a custom field of this organization' }]
    const value = values[key]
    const message = value === null ? null : PROBLEMS[definition.type](value, definition.options)
    return message === null ? [] : [{ path, message }]
  })
}

/** Validates custom field values. Throws InvalidError with every invalid field. */
export function checkAttributes(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  values: Record<string, unknown>,
): Record<string, AttributeValue> {
  const errors = problemsOfAttributes(ctx, values)
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
  return values as Record<string, AttributeValue>
}

/**
 * Returns a function that parses a field's value from the text of a file. It returns `undefined` if
 * the text is no such value.
 */
export function attributeReader({
  type,
  options,
}: Pick<AttributeRow, 'type' | 'options'>): (text: string) => AttributeValue | undefined {
  const problemOf = PROBLEMS[type]
  return (text) => {
    const value =
      type === 'number'
        ? Number(text)
        : type === 'boolean'
          ? (READ_BOOLEANS.get(text.toLowerCase()) ?? text)
          : text
    return problemOf(value, options) === null ? value : undefined
  }
}

const READ_BOOLEANS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])
