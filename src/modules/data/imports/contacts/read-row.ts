import { isUuid } from '../../../../lib/ids'
import { unescapeFormula } from '../../../../lib/csv'
import { normalEmail } from '../../../../lib/fields'
import { numberVariants, parsePhone, type CountryCode } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { userIdOf } from '../../../../platform/webhook/sender'
import { attributeReader, type AttributeValue } from '../../../inbox/contacts/attributes/values'
import { definitionsOf, type AttributeRow } from '../../../inbox/contacts/attributes/service'
import type { SenderIds } from '../../../inbox/contacts/identities/identities'
import type { ImportedContact } from '../../../inbox/contacts/imports/imported-contact'
import { MAX_TAGS } from '../../../inbox/contacts/model'
import { plainFields } from '../../../inbox/contacts/plain-fields'
import { getOrganization } from '../../../organization/organizations/service'
import { problemOfTagName } from '../../../inbox/tags/service'
import type { RowProblem } from '../model'
import type { RowWithEnd } from '../stored-rows'
import { cellReader, problemsOfShape, type ImportOptions, type ReadRow } from '../importer'

/** A contact as written in a row. */
export interface ContactCells {
  ids: SenderIds
  texts: ImportedContact['texts']
  /** Names or IDs of tags, or one name that contains a separator. */
  tags: string[]
  /** Email address or user ID of a member. */
  assignee: string | undefined
  consent: 'opted_in' | 'opted_out' | undefined
  attributes: Record<string, AttributeValue>
}

const CONSENTS = new Map([
  ['opted_in', 'opted_in'],
  ['opted_out', 'opted_out'],
  ['unknown', undefined],
] as const)

/** Returns a function that reads contact rows: numbers, custom fields, and problems. */
export function contactReader(
  ctx: Ctx,
  options: ImportOptions,
): (placed: RowWithEnd) => ReadRow<ContactCells> {
  const country = (options.defaultCountry ?? getOrganization(ctx).defaultCountry ?? undefined) as
    | CountryCode
    | undefined // checked when it was set
  const cellsOf = cellReader(options)
  const ownFields = ownFieldsOf(ctx, options)
  return (placed) => {
    const cells = cellsOf(placed)
    const problems = problemsOfShape(placed)
    const read = reading(cells, problems)
    const phone =
      read(
        'phone_number',
        (text) => parsePhone(text, country) ?? undefined,
        'is not a phone number of 7 to 15 digits',
      ) ?? null
    const userId =
      read('user_id', (text) => userIdOf(text) ?? undefined, 'is not a user ID of the platform') ??
      null
    const isParent = userId?.startsWith('ENT.', 3) ?? false
    if (!cells.has('phone_number') && !cells.has('user_id'))
      problems.push({ column: 'phone_number', message: 'is required', value: null })
    const consent = read(
      'marketing_consent',
      (text) => {
        const key = text.toLowerCase() as 'opted_in'
        return CONSENTS.has(key) ? { state: CONSENTS.get(key) } : undefined
      },
      'must be opted_in, opted_out or unknown',
    ) // prettier
    return {
      row: placed.stored[0],
      end: placed.end,
      identity: phone === null ? userId : (numberVariants(phone).toSorted()[0] ?? phone),
      written: cells.get('phone_number') ?? cells.get('user_id') ?? '',
      problems,
      what: {
        ids: { phone, userId: isParent ? null : userId, parentUserId: isParent ? userId : null },
        texts: textsIn(read),
        tags: read('tags', tagsIn, `must be up to ${MAX_TAGS} tag names`) ?? [],
        assignee: read(
          'assigned_to',
          (text) => (isUuid(text) ? text.toLowerCase() : normalEmail(text)),
          '',
        ),
        consent: consent?.state,
        attributes: attributesIn(cells, ownFields, problems),
      },
    }
  }
}

type Read = ReturnType<typeof reading>

function textsIn(read: Read): ImportedContact['texts'] {
  const texts = plainFields.map(({ field, column, isValid, rule }) => {
    const text = read(field, (written) => (isValid(written) ? written : undefined), rule)
    return [column, text] as const
  })
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

/** Reads a cell. An invalid cell adds a problem to the row; an empty one is `undefined`. */
const reading =
  (cells: Map<string, string>, problems: RowProblem[]) =>
  <T>(column: string, parse: (text: string) => T | undefined, message: string): T | undefined => {
    const written = cells.get(column)
    if (written === undefined) return undefined
    const value = parse(unescapeFormula(written).trim())
    if (value === undefined) problems.push({ column, message, value: shortened(written) })
    return value
  }

const MAX_SHOWN_LENGTH = 255

const shortened = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text

/**
 * Returns tag names separated by semicolons, or else by commas; `undefined` if there are too many
 * or one is too long.
 */
function tagsIn(text: string): string[] | undefined {
  const names = text.split(text.includes(';') ? ';' : ',').map((name) => name.trim())
  const wanted = [...new Set(names.filter((name) => name !== ''))]
  return wanted.length > MAX_TAGS || wanted.some((name) => problemOfTagName(name, true) !== null)
    ? undefined
    : wanted
}

/** A column of custom field values. */
interface OwnField {
  column: string
  key: string
  /** Reads a value; `undefined` if the text is invalid. */
  read: (text: string) => AttributeValue | undefined
  wanted: string
}

function ownFieldsOf(ctx: Ctx, { columns }: ImportOptions): OwnField[] {
  const definitions = definitionsOf(ctx)
  return columns.flatMap(({ key: column }) => {
    const [, key] = /^attributes\.(.+)$/.exec(column ?? '') ?? []
    if (column === null || key === undefined) return []
    const definition = definitions.get(key)
    return [
      {
        column,
        key,
        read: definition ? attributeReader(definition) : () => undefined,
        wanted: wantedOf(definition),
      },
    ]
  })
}

function attributesIn(
  cells: Map<string, string>,
  ownFields: OwnField[],
  problems: RowProblem[],
): Record<string, AttributeValue> {
  const values: [string, AttributeValue][] = []
  for (const { column, key, read, wanted } of ownFields) {
    const written = cells.get(column)
    if (written === undefined) continue
    const value = read(unescapeFormula(written))
    if (value === undefined) problems.push({ column, message: wanted, value: shortened(written) })
    else values.push([key, value])
  }
  return Object.fromEntries(values)
}

/** Describes the valid values of a custom field. */
function wantedOf(definition: AttributeRow | undefined): string {
  if (!definition) return 'is no longer a custom field of this organization'
  const wanted: Record<AttributeRow['type'], string> = {
    text: 'must have at most 4096 characters',
    number: 'must be a number',
    boolean: 'must be true or false',
    date: 'must be a date such as 2026-11-21',
    select: `must be one of ${definition.options.join(', ')}`,
    url: 'must be a URL that begins with http:// or https://',
    email: 'must be an email address',
  }
  return wanted[definition.type]
}
