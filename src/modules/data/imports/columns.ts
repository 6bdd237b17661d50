import { fieldSentence, InvalidError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import type { Ctx } from '../../../infra/ctx'
import { columnsOf as declaredColumnsOf } from '../../../infra/db/define-table'
import { definitionsOf } from '../../inbox/contacts/attributes/service'
import { fieldName, labelOf } from '../../inbox/contacts/field-names'
import { byField } from '../../inbox/contacts/plain-fields'
import { contacts } from '../../inbox/contacts/table'
import { MAX_BYTES, MAX_ROWS, type ColumnView, type ImportConfig, type ImportTable } from './model'
import { invalidFileError } from '../../../infra/sheets/row'

/** Maximum length of a heading, characters. */
const MAX_HEADING_LENGTH = 255

/** What the columns of contacts are beside texts, and how people call them. */
const DETAILS: Record<string, Partial<ColumnView>> = {
  ...byField(({ inFiles, aliases }) => ({ type: inFiles, aliases: [...aliases] })),
  phone_number: {
    required: true,
    type: 'phone',
    aliases: [
      'phone',
      'phone no',
      'telephone',
      'tel',
      'mobile',
      'mobile number',
      'mobile phone',
      'cell',
      'cell phone',
      'number',
      'whatsapp',
      'whatsapp number',
      'msisdn',
      'wa_id',
      ...['telefon', 'telefonnummer', 'handynummer', 'teléfono', 'número de teléfono'],
      ...['telefone', 'número de telefone', 'celular', 'رقم الهاتف', 'الهاتف', 'الجوال'],
    ],
  },
  user_id: { aliases: ['whatsapp user id', 'bsuid', 'business scoped user id'] },
  tags: { type: 'list', aliases: ['tag', 'labels', 'label', 'etiquetas', 'الوسوم'] },
  assigned_to: { type: 'member', aliases: ['assignee', 'assigned user', 'owner', 'agent'] },
  marketing_consent: { type: 'select', aliases: ['consent', 'opt in', 'marketing'] },
}

/** The columns of the table that say so, and tags. */
const CONTACTS = [
  ...declaredColumnsOf(contacts)
    .filter(({ use }) => use.imported)
    .map(({ key }) => fieldName(key)),
  'tags',
].map((key): ColumnView => ({
  ...{ key, label: labelOf(key), required: false, type: 'text', aliases: [] },
  ...DETAILS[key],
}))

const TAGS: ColumnView[] = [
  {
    key: 'name',
    label: 'Name',
    required: true,
    type: 'text',
    aliases: ['tag', 'tag name', 'label'],
  },
  { key: 'color', label: 'Color', required: false, type: 'color', aliases: ['colour'] },
]

/**
 * Returns the columns a file of this table can have, including the organization's custom fields for
 * contacts.
 */
export function columnsOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  table: ImportTable,
): ColumnView[] {
  if (table === 'tags') return TAGS
  const own = [...definitionsOf(ctx).values()].map(({ key, label, type }) => ({
    key: `attributes.${key}`,
    label,
    required: false,
    type,
    aliases: [key],
  }))
  return [...CONTACTS, ...own]
}

/** Returns the import configuration of a table. */
export const importConfig = (ctx: Ctx, table: ImportTable): ImportConfig => ({
  columns: columnsOf(ctx, table),
  max_rows: MAX_ROWS,
  max_bytes: MAX_BYTES,
})

/** A heading of a file and the key of its column. */
export interface Heading {
  header: string
  key: string | null
}

/** Returns a heading without case, accents, spaces and punctuation, for comparison. */
const bare = (text: string): string => foldText(text).replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Maps each heading to a column: by the given mapping, then by column key, then by label or alias.
 * Throws InvalidError for headings that are too long and for an invalid mapping.
 */
export function headingsIn(
  columns: ColumnView[],
  cells: string[],
  mapping: Record<string, string | null> = {},
): Heading[] {
  const headings = cells.map((cell) => cell.trim())
  while (headings.at(-1) === '') headings.pop()
  if (headings.some((heading) => heading.length > MAX_HEADING_LENGTH))
    throw invalidFileError(
      'bad_header',
      `has a heading of more than ${MAX_HEADING_LENGTH} characters; the first row must be a ` +
        'header',
    )
  checkMapping(columns, headings, mapping)
  const keys = headings.map((heading) =>
    Object.hasOwn(mapping, heading) ? (mapping[heading] ?? null) : undefined,
  )
  recognize(
    headings,
    keys,
    (heading) => columns.find(({ key }) => key === heading.toLowerCase())?.key,
  )
  recognize(
    headings,
    keys,
    (heading) => columns.find((column) => namesOf(column).includes(bare(heading)))?.key,
  )
  return headings.map((header, index): Heading => ({ header, key: keys[index] ?? null }))
}

/**
 * Maps each heading to a column as {@link headingsIn}. Also throws InvalidError for two headings of
 * one column, and if a required column is missing.
 */
export function checkHeader(
  columns: ColumnView[],
  cells: string[],
  mapping: Record<string, string | null>,
): Heading[] {
  const found = headingsIn(columns, cells, mapping)
  const doubled = found.find(
    ({ key }, index) => key !== null && found.findIndex((other) => other.key === key) < index,
  )
  if (doubled)
    throw invalidFileError(
      'duplicate_column',
      `has several columns for ${doubled.key}, one of them “${doubled.header}”; choose one with column_mapping`,
    )
  const missing = columns.find(
    ({ key, required }) => required && !found.some((heading) => heading.key === key),
  )
  if (missing && !(missing.key === 'phone_number' && found.some(({ key }) => key === 'user_id')))
    throw invalidFileError(
      'missing_column',
      `has no column ${missing.key}; the first row must be a header`,
    )
  return found
}

const namesOf = ({ key, label, aliases }: ColumnView): string[] =>
  [key, label, ...aliases].map(bare)

/** Maps the remaining headings. A column that already has a heading is not mapped again. */
function recognize(
  headings: string[],
  keys: (string | null | undefined)[],
  find: (heading: string) => string | undefined,
): void {
  const taken = new Set(keys)
  for (const [index, heading] of headings.entries()) {
    const key = keys[index] === undefined && heading !== '' ? find(heading) : undefined
    if (key !== undefined && !taken.has(key)) keys[index] = key
  }
}

/** Returns a mapping of headings to columns as it was asked for. Throws InvalidError. */
export function mappingIn(asked: object): Record<string, string | null> {
  const entries = Object.entries(asked).map(([heading, key]: [string, unknown]) => {
    if (key === null || typeof key === 'string') return [heading, key] as const
    const path = `body.column_mapping.${heading}`
    const message = 'must be the key of a column or null'
    throw new InvalidError(fieldSentence(path, message), {
      code: 'invalid_input',
      errors: [{ path, message }],
    })
  })
  return Object.fromEntries(entries)
}

function checkMapping(
  columns: ColumnView[],
  headings: string[],
  mapping: Record<string, string | null>,
): void {
  const errors = Object.entries(mapping).flatMap(([heading, key]) => {
    const path = `body.column_mapping.${heading}`
    if (!headings.includes(heading))
      return [{ path, message: 'is not a column heading of the file' }]
    return key === null || columns.some((column) => column.key === key)
      ? []
      : [{ path, message: 'is not a column that can be imported' }]
  })
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
}
