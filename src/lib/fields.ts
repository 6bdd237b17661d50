import {
  FormatRegistry,
  Kind,
  Type,
  TypeRegistry,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TArray,
  type TObject,
  type TProperties,
  type TString,
  type TUnsafe,
} from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { isUuid } from './ids'
import { isInstant } from './instant'
import { isPrintable } from './printable'

TypeRegistry.Set<{ rule: string }>(
  'CheckedText',
  ({ rule }, value) => typeof value === 'string' && FormatRegistry.Get(rule)?.(value) === true,
)

/** The length of a text in Unicode characters, as JSON Schema counts it. */
const lengthOf = (text: string): number => [...text].length

/**
 * Returns the schema of a text that only a function checks: the lengths in `options` are for the
 * API document. A kind of its own, because JSON Schema cannot say "without surrounding spaces".
 */
function ruledText(
  rule: string,
  isValid: (text: string) => boolean,
  message: string,
  options: StringOptions,
): TUnsafe<string> {
  FormatRegistry.Set(rule, isValid)
  return Type.Unsafe<string>({
    ...options,
    [Kind]: 'CheckedText',
    type: 'string',
    rule,
    error: message,
  })
}

/**
 * Returns a string schema with a custom check, of at most `maxLength` Unicode characters. Problems
 * are reported together with all other validation errors of the body. `rule` is a unique name;
 * `message` has the form "must …".
 */
export const checkedText = (
  rule: string,
  isValid: (text: string) => boolean,
  message: string,
  options: StringOptions = {},
): TUnsafe<string> =>
  ruledText(
    rule,
    (text) => lengthOf(text) <= (options.maxLength ?? Infinity) && isValid(text),
    message,
    options,
  )

const MAX_NAME_LENGTH = 255

/**
 * Returns a string schema for a regular expression. `message` is shown, so that clients never
 * see the expression.
 */
export const patternText = (
  pattern: string,
  message: string,
  options: StringOptions = {},
): TString => Type.String({ ...options, pattern, error: message })

/** A visible character: no space, no joiner or other invisible control, no blank letter. */
const VISIBLE_CHARACTER = /[^\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Reports whether a text is a valid name: 1 to `longest` characters after trimming, at least one
 * visible, no control characters.
 */
export function isName(text: string, longest = MAX_NAME_LENGTH): boolean {
  const name = text.trim()
  return VISIBLE_CHARACTER.test(name) && [...name].length <= longest && isPrintable(name)
}

/** Returns the validation message for an invalid name. */
export const nameRule = (longest = MAX_NAME_LENGTH): string =>
  `must be 1 to ${longest} characters, not only spaces, without control characters`

/**
 * Returns the schema of a name: 1 to `longest` characters, trimmed, not blank, no control
 * characters.
 */
export const nameText = (longest: number, options: StringOptions = {}): TUnsafe<string> =>
  ruledText(`name-${longest}`, (text) => isName(text, longest), nameRule(longest), {
    ...options,
    minLength: 1,
    maxLength: longest,
    description: `${options.description ?? ''} Trimmed, no control characters.`.trim(),
  })

/** Returns the schema of a text that is sent or shown: not blank. */
export const writtenText = (
  maxLength: number,
  { minLength = 1, ...options }: StringOptions = {},
): TUnsafe<string> =>
  checkedText(
    `written-${minLength}-${maxLength}`,
    (text) => text.trim().length >= minLength,
    `must have ${minLength} to ${maxLength} characters and not be blank`,
    { ...options, minLength, maxLength },
  )

/**
 * Returns the schema of a single line of text, such as an option label: 1 to `longest` characters,
 * not blank, no control characters.
 */
export const lineText = (longest: number, options: StringOptions = {}): TUnsafe<string> =>
  ruledText(
    `line-${longest}`,
    (line) => VISIBLE_CHARACTER.test(line) && lengthOf(line) <= longest && isPrintable(line),
    `must be 1 to ${longest} characters, not only spaces, without control characters`,
    {
      ...options,
      minLength: 1,
      maxLength: longest,
    },
  )

TypeRegistry.Set<{ enum: string[] }>('OneOf', (schema, value) =>
  schema.enum.includes(value as string),
)

/** Schema of a text that is one of a few words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(
  words: T,
  options: SchemaOptions = {},
): TUnsafe<T[number]> =>
  Type.Unsafe({ ...options, [Kind]: 'OneOf', type: 'string', enum: [...words] })

TypeRegistry.Set<{ enum: string[] }>(
  'OneOfInAnyCase',
  (schema, value) =>
    typeof value === 'string' &&
    schema.enum.some((word) => word.toLowerCase() === value.toLowerCase()),
)

/** Schema of a text that is one of a few words, in capitals or not. The reader folds it. */
export const oneOfInAnyCase = (words: readonly [string, ...string[]]): TUnsafe<string> =>
  Type.Unsafe({
    [Kind]: 'OneOfInAnyCase',
    type: 'string',
    enum: [...words],
    description: 'Case-insensitive.',
  })

FormatRegistry.Set('date-time', isInstant) // Elysia's own check accepts 01/02/2025 and February 31
FormatRegistry.Set('uuid', isUuid) // Elysia's own check accepts urn:uuid:, which no column stores

TypeRegistry.Set(
  'FreeObject',
  (_schema, value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/**
 * Returns the schema of an object with arbitrary keys. A kind of its own without `type` (the API
 * document adds it), because Elysia converts numbers and strings to objects for a Record before
 * validation.
 */
export const freeObject = (options: SchemaOptions = {}): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe({
    ...options,
    [Kind]: 'FreeObject',
    additionalProperties: true,
    error: 'must be an object',
  })

TypeRegistry.Set<TObject>(
  'ObjectOfOptions',
  ({ properties }, value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Value.Check(Type.Object(properties), value),
)

/**
 * Returns the schema of an object with optional fields only. A kind of its own for the same reason
 * as `freeObject`. Unknown fields reach the verb, which ignores them.
 */
export const objectOfOptions = <T extends TProperties>(
  properties: T,
  rule: string,
  options: SchemaOptions = {},
): TUnsafe<Static<TObject<T>>> =>
  Type.Unsafe({
    ...options,
    [Kind]: 'ObjectOfOptions',
    properties,
    additionalProperties: true,
    error: rule,
  })

TypeRegistry.Set<TArray>(
  'ListOf',
  ({ items, minItems = 0, maxItems = 0 }, value) =>
    Array.isArray(value) &&
    value.length >= minItems &&
    value.length <= maxItems &&
    value.every((element) => Value.Check(items, element)),
)

/**
 * Returns the schema of a list of objects with optional fields only. A kind of its own, because
 * Elysia would convert a string to such a list.
 */
export const listOfObjects = <T extends TObject>(
  items: T,
  bounds: { minItems: number; maxItems: number },
  rule: string,
): TUnsafe<Static<T>[]> => Type.Unsafe({ [Kind]: 'ListOf', items, ...bounds, error: rule })

TypeRegistry.Set(
  'ObjectOrText',
  (_schema, value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
)

/**
 * Returns the schema of a JSON document, given as an object or as text. The reader validates the
 * content.
 */
export const objectOrText = (options: SchemaOptions = {}): TUnsafe<unknown> =>
  Type.Unsafe({
    ...options,
    [Kind]: 'ObjectOrText',
    error: 'must be an object, or an object as JSON text',
  })

TypeRegistry.Set('ObjectOrList', (_schema, value) => typeof value === 'object')

/** Returns the schema of an object, a list or null. The reader validates the content. */
export const objectOrList = (options: SchemaOptions = {}): TUnsafe<unknown> =>
  Type.Unsafe({ ...options, [Kind]: 'ObjectOrList', error: 'must be an object or a list' })

/**
 * Excludes invisible characters and the separators that mail programs use between addresses and
 * names.
 */
const EMAIL = /^[^\s@<>,;:"()\\\p{Cf}]+@[^\s@<>,;:"()\\\p{Cf}]+$/u
const MAX_EMAIL_LENGTH = 254

/** Normalizes an email address for comparison and storage: trimmed, lower case. */
export const normalEmail = (text: string): string => text.trim().toLowerCase()

/**
 * Reports whether a text is an email address after trimming: one `@`, at most 254 characters, no
 * control characters.
 */
export function isEmail(text: string): boolean {
  const email = normalEmail(text)
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) && isPrintable(email)
}

/** Schema of an email address. */
export const Email = ruledText(
  'email',
  isEmail,
  `must be an email address of up to ${MAX_EMAIL_LENGTH} characters, without control ` +
    'characters',
  {
    format: 'email',
    minLength: 3,
    maxLength: MAX_EMAIL_LENGTH,
    description: 'Compared in lower case, without spaces around it.',
  },
)

/** Length of a password in characters after NFC, not trimmed (spec 5.6). */
const PASSWORD_LENGTH = { shortest: 8, longest: 256 } as const

/**
 * Returns what is wrong with a password, or `null`. Lone surrogates are refused: all of them would
 * hash to the same character.
 */
export function passwordProblem(password: string): string | null {
  if (!password.isWellFormed()) return 'must be valid Unicode: it contains half of a surrogate pair'
  const length = [...password.normalize('NFC')].length
  if (length < PASSWORD_LENGTH.shortest)
    return `must have at least ${PASSWORD_LENGTH.shortest} characters`
  if (length > PASSWORD_LENGTH.longest)
    return `must have at most ${PASSWORD_LENGTH.longest} characters`
  return null
}

const PASSWORD_RULE =
  `must be ${PASSWORD_LENGTH.shortest} to ${PASSWORD_LENGTH.longest} characters and ` +
  'valid Unicode'

/** Schema of a new password. A password sent as proof has no rules. */
export const NewPassword = ruledText(
  'password',
  (password) => passwordProblem(password) === null,
  PASSWORD_RULE,
  {
    format: 'password',
    minLength: PASSWORD_LENGTH.shortest,
    maxLength: PASSWORD_LENGTH.longest,
    description: 'Not trimmed.',
  },
)

/** Schema of a person's full name. */
export const FullName = ruledText(
  'full-name',
  (written) => isName(written),
  `must be 1 to ${MAX_NAME_LENGTH} characters without control characters`,
  {
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description: 'Trimmed, no control characters.',
  },
)

/** Returns a language tag (BCP 47) in canonical form, or `null` if invalid. */
export function languageTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null
  } catch {
    return null
  }
}

/** Schema of a language tag. */
export const LanguageTag = checkedText(
  'language-tag',
  (tag) => languageTag(tag) !== null,
  'must be a language tag such as en or pt-BR',
  {
    maxLength: 35,
  },
)
