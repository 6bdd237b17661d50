import { ValueErrorType } from '@sinclair/typebox/errors'

import type { FieldProblem } from './errors'

/**
 * The parts of a schema that describe valid values. `error` is the schema's own sentence, `missing` the
 * one for a required field that was not sent.
 */
interface Said extends Partial<Record<Bound, number>> {
  type?: string
  format?: string
  pattern?: string
  const?: string | number | boolean
  enum?: (string | number)[]
  anyOf?: Said[]
  properties?: Record<string, unknown>
  description?: string
  error?: unknown
  missing?: string
}

type Bound =
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'

/** TypeBox's error for a value; for a union also the errors of each member. */
export interface SchemaProblem {
  type: ValueErrorType
  schema: Said
  path: string
  /** `undefined` only for a missing value; JSON has no such value. */
  value: unknown
  errors?: Iterable<SchemaProblem>[]
}

/** A long list may have a problem in each item. Nobody reads more than these, and each costs time. */
const MAX_PROBLEMS = 20

/**
 * Returns the problems of a part of a request, one for each field, in words that tell what to do.
 * After 20 fields it looks for no more.
 */
export function problemsOf(part: string, found: Iterable<SchemaProblem>): FieldProblem[] {
  const problems = new Map<string, string>()
  for (const problem of found)
    for (const { path, words } of inWords(problem)) {
      const place = `${part}${path.replaceAll('/', '.')}`
      if (!problems.has(place)) problems.set(place, words)
      if (problems.size === MAX_PROBLEMS) return inOrder(problems)
    }
  return inOrder(problems)
}

const inOrder = (problems: ReadonlyMap<string, string>): FieldProblem[] =>
  [...problems].map(([path, message]) => ({ path, message }))

/** Returns the first items of an iterable, and asks it for no more. */
function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const first: T[] = []
  for (const item of items) {
    first.push(item)
    if (first.length === most) break
  }
  return first
}

interface Worded {
  path: string
  words: string
}

/**
 * Describes a problem. "None of the members fits" helps nobody: for a union, shows the deeper
 * problems if a member has any, otherwise the expectations of all members.
 */
function inWords(problem: SchemaProblem): Worded[] {
  const { path, schema, value } = problem
  if (
    problem.type !== ValueErrorType.Union ||
    value === undefined ||
    typeof schema.error === 'string'
  )
    return [{ path, words: wordsOf(problem) }]
  const members = (problem.errors ?? []).map((member) => firstOf(member, MAX_PROBLEMS))
  const inside = members
    .flatMap((found) => found.flatMap(inWords))
    .filter((one) => one.path.length > path.length)
  return inside.length > 0 ? inside : [{ path, words: wordsOfUnion(schema, members) }]
}

/** Describes the members of a union; literals as a list, with `null` last. */
function wordsOfUnion(schema: Said, members: SchemaProblem[][]): string {
  const isNullable = (schema.anyOf ?? []).some(({ type }) => type === 'null')
  const wanted = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  const orNull = isNullable ? ', or null' : ''
  if (wanted.every((member) => member.const !== undefined))
    return `must be one of ${wanted.map((member) => member.const).join(', ')}${orNull}`
  const relevant = members
    .flat()
    .filter(({ type, schema: member }) => type !== ValueErrorType.Null && !isCoercion(member))
  const words = new Set((relevant.length > 0 ? relevant : members.flat()).map(wordsOf))
  return `${[...words].join(', or ') || 'is not valid'}${orNull}`
}

/**
 * Elysia also accepts a query's number or flag as text. Its other union member describes that text.
 */
const isCoercion = ({ type, format }: Said): boolean =>
  type === 'string' &&
  ['integer', 'numeric', 'number', 'boolean', 'ObjectString', 'ArrayString'].includes(format ?? '')

/** Descriptions of standard formats. */
const OF_FORMAT: Record<string, string> = {
  uuid: 'must be a UUID',
  'date-time': 'must be a time such as 2026-11-21T09:30:00Z',
  date: 'must be a date such as 2026-11-21',
  uri: 'must be a URL such as https://example.com/',
  integer: 'must be a whole number',
  numeric: 'must be a number',
  boolean: 'must be true or false',
}

/** Describes a text, list or object of the right type but with an invalid form. */
const OF_FORM: Partial<Record<ValueErrorType, (schema: Said) => string>> = {
  [ValueErrorType.StringMinLength]: ({ minLength }) =>
    minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`,
  [ValueErrorType.StringMaxLength]: ({ maxLength }) => `must have at most ${maxLength} characters`,
  [ValueErrorType.ArrayMinItems]: ({ minItems }) =>
    minItems === 1 ? 'must not be empty' : `must have at least ${minItems} items`,
  [ValueErrorType.ArrayMaxItems]: ({ maxItems }) => `must have at most ${maxItems} items`,
  [ValueErrorType.ArrayUniqueItems]: () => 'must not contain duplicates',
  [ValueErrorType.ObjectMinProperties]: ({ minProperties, properties }) =>
    minProperties === 1
      ? `must have at least one ${fieldsOf(properties)}`
      : `must have at least ${minProperties} fields`,
  [ValueErrorType.ObjectAdditionalProperties]: () => 'is not a known field',
}

/** At most this many fields are named in a message. */
const MAX_NAMED_FIELDS = 12

function fieldsOf(properties: Record<string, unknown> = {}): string {
  const names = Object.keys(properties)
  return names.length > 0 && names.length <= MAX_NAMED_FIELDS
    ? `of the fields ${names.join(', ')}`
    : 'known field'
}

function wordsOf({ type, schema, value }: SchemaProblem): string {
  if (value === undefined) return schema.missing ?? 'is required'
  if (typeof schema.error === 'string') return schema.error
  return OF_FORM[type]?.(schema) ?? wordsOfType(schema)
}

/** Describes the expected value by its type. */
function wordsOfType(schema: Said): string {
  const { type, format, pattern } = schema
  if (schema.const !== undefined) return `must be ${schema.const}`
  if (schema.enum) return `must be one of ${schema.enum.join(', ')}`
  if (format !== undefined && OF_FORMAT[format] !== undefined) return OF_FORMAT[format]
  if (format !== undefined || pattern !== undefined) return described(schema)
  switch (type) {
    case 'string':
      return 'must be a string'
    case 'integer':
      return `must be a whole number${range(schema)}`
    case 'number':
      return `must be a number${range(schema)}`
    case 'boolean':
      return 'must be true or false'
    case 'array':
      return 'must be a list'
    case 'object':
      return 'must be a JSON object'
    case 'null':
      return 'must be null'
    default:
      return described(schema)
  }
}

/**
 * Returns the field's documentation as a fallback. A regular expression or rule name would help
 * nobody.
 */
const described = ({ description }: Said): string =>
  description
    ? `does not match the required format (${description.replace(/\.$/, '')})`
    : 'does not have the required format'

function range({ minimum, maximum }: Said): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` from ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}
