import { Type } from '@sinclair/typebox'

import { nameRule, nameText } from '../../../lib/fields'
import { typeGuardOf } from '../../../lib/schema-check'
import { text } from '../../../infra/db/columns'

/** What the text of a field may be, and as what files that are imported and segments read it. No kind allows line breaks. */
const KINDS = {
  name: {
    schema: nameText(255),
    rule: nameRule(255),
    inFiles: 'text',
    inSegments: 'text',
    examples: ['Ana Sol', 'Zoë Martin'],
  },
  language: {
    schema: Type.Unsafe<string>(
      Type.String({ pattern: '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$', maxLength: 35 }),
    ),
    rule: 'must be a language such as en or pt_BR',
    inFiles: 'language',
    inSegments: 'text',
    examples: ['en', 'pt_BR'],
  },
} as const

interface PlainField {
  kind: keyof typeof KINDS
  /** Its description in the API document. */
  says: string
  /** Other headings by which files that are imported may call it. */
  aliases: readonly string[]
  /** Whether contacts are found by its words. */
  isSearched?: true
  /** Whether segments filter by it. */
  isInSegments?: true
}

/**
 * The fields of a contact that people write and that are stored as they are written, by their names
 * in the API. A line here is a column and a field of the API, of imports, exports and archives, of
 * the texts of bots and campaigns, and of what a bot flow writes.
 */
export const PLAIN_FIELDS = {
  name: {
    kind: 'name',
    says: 'Name set by your team, shown instead of the profile name. Never overwritten by the platform.',
    aliases: [
      ...['full name', 'contact name', 'display name', 'customer', 'customer name'],
      ...['nombre', 'nome', 'الاسم'],
    ],
    isSearched: true,
  },
  language: {
    kind: 'language',
    says: 'For example `pt_BR`.',
    aliases: ['locale', 'lang', 'language code'],
    isInSegments: true,
  },
} as const satisfies Record<string, PlainField>

export type PlainFieldName = keyof typeof PLAIN_FIELDS

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S

/** The column of a plain field, as the program calls it. */
export type PlainColumn = Camel<PlainFieldName>

const camel = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The plain fields, each with what its kind says. */
export const plainFields = Object.entries<PlainField>(PLAIN_FIELDS).map(([field, declared]) => ({
  ...declared,
  field: field as PlainFieldName, // the keys of PLAIN_FIELDS
  column: camel(field) as PlainColumn,
  ...KINDS[declared.kind],
  isValid: typeGuardOf(KINDS[declared.kind].schema),
}))

type Entry = (typeof plainFields)[number]

/** Returns an object with a value for each plain field. */
export const byField = <T>(valueOf: (entry: Entry) => T): Record<PlainFieldName, T> =>
  Object.fromEntries(plainFields.map((one) => [one.field, valueOf(one)])) as Record<
    PlainFieldName,
    T
  > // plainFields has every name

const columnOf = ({ field, isInSegments }: Entry) =>
  text(field).personal({
    exported: 'usual',
    imported: true,
    ...(isInSegments ? { inSegments: field } : {}),
  })

/** The columns of the plain fields. */
export const plainColumns = Object.fromEntries(
  plainFields.map((one) => [one.column, columnOf(one)]),
) as Record<PlainColumn, ReturnType<typeof columnOf>> // plainFields has every column

/** The schemas of the plain fields in answers. */
export const plainAnswers = byField(({ says, examples }) =>
  Type.Union([Type.String(), Type.Null()], { description: says, examples: [...examples] }),
)

/** The schemas of the plain fields in bodies. */
export const plainBodies = byField(({ schema, says, examples }) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: says, examples: [...examples] })),
)

/** Returns the columns of the plain fields that are given. Names lose the spaces around them. */
export const plainChanges = (
  given: Partial<Record<PlainFieldName, string | null>>,
): Partial<Record<PlainColumn, string | null>> =>
  Object.fromEntries(
    plainFields.flatMap(({ field, column }) => {
      const text = given[field]
      return text === undefined ? [] : [[column, text?.trim() ?? null]]
    }),
  )
