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

import { isInstant } from './instant'
import { isPrintable } from './printable'

/**
 * Schema of a text that a function judges. What speaks against it is found with everything else
 * that is wrong with a body, so that one answer names all of it. `format` is the name of the rule
 * in the documentation, `says` tells in the form "must …" what to do.
 */
export function checkedText(
  format: string,
  isGood: (text: string) => boolean,
  says: string,
  options: StringOptions = {},
): TString {
  FormatRegistry.Set(format, isGood)
  return Type.String({ ...options, format, error: says })
}

const MAX_NAME_LENGTH = 255

/**
 * Schema of a text that fits a regular expression; `says` as above, for nobody is shown the
 * expression as a reason.
 */
export const formedText = (pattern: string, says: string, options: StringOptions = {}): TString =>
  Type.String({ ...options, pattern, error: says })

/** A sign that is seen: no space, nothing that joins or steers others, no blank letter. */
const SEEN = /[^\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Whether something can be called so: 1 to `longest` characters without the spaces around them, one
 * of them seen and none a control character.
 */
export function isName(written: string, longest = MAX_NAME_LENGTH): boolean {
  const name = written.trim()
  return SEEN.test(name) && [...name].length <= longest && isPrintable(name)
}

/** What to say of a text that is no name. */
export const nameRule = (longest = MAX_NAME_LENGTH): string =>
  `must have 1 to ${longest} characters, not only spaces and no control characters`

/**
 * Schema of what something is called: 1 to `longest` characters, trimmed, not only spaces and no
 * control characters.
 */
export const nameText = (longest: number, options: StringOptions = {}): TString =>
  checkedText(`name-${longest}`, (written) => isName(written, longest), nameRule(longest), {
    ...options,
    minLength: 1,
    maxLength: 1_024,
    description:
      `${options.description ?? ''} 1 to ${longest} characters, trimmed, no control characters.`.trim(),
  })

/**
 * Schema of a line of text that is no name of anything, such as what may be chosen: 1 to `longest`
 * characters, no control characters.
 */
export const lineText = (longest: number, options: StringOptions = {}): TString =>
  checkedText(
    `line-${longest}`,
    isPrintable,
    `must have 1 to ${longest} characters, none of them a control character`,
    {
      ...options,
      minLength: 1,
      maxLength: longest,
    },
  )

FormatRegistry.Set('date-time', isInstant) // Elysia's own takes 01/02/2025, and the 31st of February

TypeRegistry.Set(
  'FreeObject',
  (_schema, value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/**
 * Schema of an object whose keys anybody may choose. A kind of its own, without a type (the OpenAPI
 * document adds it): what Elysia makes of a record turns a number or a text into an object before
 * anybody has looked at it.
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
 * Schema of an object none of whose fields has to be there. A kind of its own for the same reason
 * as `freeObject`; fields that are not known reach the verb, which takes what it knows.
 */
export const objectOfOptions = <T extends TProperties>(
  properties: T,
  says: string,
): TUnsafe<Static<TObject<T>>> =>
  Type.Unsafe({ [Kind]: 'ObjectOfOptions', properties, additionalProperties: true, error: says })

TypeRegistry.Set<TArray>(
  'ListOf',
  ({ items, minItems = 0, maxItems = 0 }, value) =>
    Array.isArray(value) &&
    value.length >= minItems &&
    value.length <= maxItems &&
    value.every((element) => Value.Check(items, element)),
)

/**
 * Schema of a list of objects none of whose fields has to be there. A kind of its own, for a text
 * would be taken for a list of them.
 */
export const listOf = <T extends TObject>(
  items: T,
  bounds: { minItems: number; maxItems: number },
  says: string,
): TUnsafe<Static<T>[]> => Type.Unsafe({ [Kind]: 'ListOf', items, ...bounds, error: says })

TypeRegistry.Set(
  'ObjectOrText',
  (_schema, value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
)

/**
 * Schema of a JSON document that is given as an object or as its text; what it has to be is judged
 * where it is read.
 */
export const objectOrText = (options: SchemaOptions = {}): TUnsafe<unknown> =>
  Type.Unsafe({ ...options, [Kind]: 'ObjectOrText', error: 'must be an object, or its text' })

TypeRegistry.Set('ObjectOrList', (_schema, value) => typeof value === 'object')

/** Schema of an object, a list or null, whose shape is judged where it is read. */
export const objectOrList = (options: SchemaOptions = {}): TUnsafe<unknown> =>
  Type.Unsafe({ ...options, [Kind]: 'ObjectOrList', error: 'must be an object or a list' })

/**
 * Signs that are not seen, and those by which mail programs tell several addresses or a name from
 * an address, are in none.
 */
const EMAIL = /^[^\s@<>,;:"()\\\p{Cf}]+@[^\s@<>,;:"()\\\p{Cf}]+$/u
const MAX_EMAIL_LENGTH = 254

/** An e-mail address as it is compared and stored: trimmed, lower case. */
export const normalEmail = (written: string): string => written.trim().toLowerCase()

/**
 * Whether a text is an e-mail address, spaces around it aside: one `@`, at most 254 characters, no
 * control characters.
 */
export function isEmail(written: string): boolean {
  const email = normalEmail(written)
  return EMAIL.test(email) && email.length <= MAX_EMAIL_LENGTH && isPrintable(email)
}

/** Schema of an e-mail address. */
export const Email = checkedText(
  'email',
  isEmail,
  `must be an e-mail address of at most ${MAX_EMAIL_LENGTH} characters, none of them a control character`,
  {
    minLength: 1,
    maxLength: 320,
    description: `Compared in lower case, without spaces around it; at most ${MAX_EMAIL_LENGTH} characters.`,
  },
)

/** A password: 8 to 256 characters after NFC, nothing trimmed (spec 5.6). */
const PASSWORD_LENGTH = { shortest: 8, longest: 256 } as const

/**
 * What is wrong with a password; `null` when nothing is. Halves of signs would all be hashed as the
 * same sign.
 */
export function passwordProblem(password: string): string | null {
  if (!password.isWellFormed()) return 'must not have half a character in it'
  const length = [...password.normalize('NFC')].length
  if (length < PASSWORD_LENGTH.shortest)
    return `must have at least ${PASSWORD_LENGTH.shortest} characters`
  if (length > PASSWORD_LENGTH.longest)
    return `must have at most ${PASSWORD_LENGTH.longest} characters`
  return null
}

const PASSWORD_SAYS = `must have ${PASSWORD_LENGTH.shortest} to ${PASSWORD_LENGTH.longest} characters, none of them cut in half`

/** Schema of a password that somebody chooses. One that proves somebody is any text. */
export const NewPassword = checkedText(
  'password',
  (password) => passwordProblem(password) === null,
  PASSWORD_SAYS,
  {
    minLength: 1,
    maxLength: 1_024,
    description: `Of ${PASSWORD_LENGTH.shortest} to ${PASSWORD_LENGTH.longest} characters, nothing trimmed.`,
  },
)

/** Schema of the name of a person. */
export const FullName = checkedText(
  'full-name',
  (written) => isName(written),
  `must have 1 to ${MAX_NAME_LENGTH} characters, none of them a control character`,
  {
    minLength: 1,
    maxLength: 1_024,
    description: `1 to ${MAX_NAME_LENGTH} characters, trimmed, none of them a control character.`,
  },
)

/** A language tag (BCP 47) in its canonical spelling; `null` when it is none. */
export function languageTag(written: string): string | null {
  try {
    return Intl.getCanonicalLocales(written)[0] ?? null
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
