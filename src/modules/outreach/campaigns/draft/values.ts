import type { FieldProblem } from '../../../../lib/errors'
import { isObject } from '../../../../platform/lenient-json'
import type {
  CardValues,
  HeaderFile,
  TemplateValues,
} from '../../../channel/templates/render/values'
import type { TemplateVariable } from '../../../channel/templates/variables'
import { byField } from '../../../inbox/contacts/plain-fields'
import { nameOf, type ContactRow } from '../../../inbox/contacts/view'

/**
 * The source of a variable: a field of the contact, a fixed value, or a field or an imported column
 * with a default.
 */
export type Source =
  | string
  | { value: string | number }
  | { field: string; default: string }
  | { column: string; default?: string }

/** The imported template values of one recipient. */
export interface OwnParams {
  template_params?: Record<string, unknown> | undefined
  header_params?: Record<string, unknown> | undefined
  button_params?: Record<string, unknown> | undefined
  /** Values of no variable in particular, which a `column` of the mapping names. */
  columns?: Record<string, unknown> | undefined
}

/** The sources of all template values of a campaign. */
export interface Filling {
  mapping: Record<string, Source>
  defaults: Record<string, unknown>
  headerFile: HeaderFile | null
  /** Files of the cards, in order. */
  cardFiles: (HeaderFile | null)[]
}

/** The position of a variable in the template values. */
interface ValuePosition {
  card: number | null
  part: 'body' | 'header' | 'buttons'
  key: string
}

/**
 * Contact fields that can fill a variable, in addition to `attributes.<key>` and `metadata.<key>`.
 */
const FIELDS: Record<string, (contact: ContactRow) => string | null> = {
  ...byField(
    ({ column }) =>
      (contact: ContactRow) =>
        contact[column],
  ),
  name: (contact) => nameOf(contact, false),
  phone_number: (contact) => contact.phoneNumber ?? contact.waId,
  username: (contact) => contact.username,
  user_id: (contact) => contact.userId,
  country: (contact) => contact.country,
}

const OWN_FIELD = /^(attributes|metadata)\.(.{1,64})$/

/** The name in a mapping of the time at which an offer ends. */
const OFFER_ENDS = 'offer_expires_at'

/**
 * Returns the name of a variable in a mapping: `1`, `header.1`, `button.0`, `cards.0.1`,
 * `offer_expires_at`, …
 */
export function nameOfVariable({ component, key, index, card }: TemplateVariable): string {
  if (component === 'LIMITED_TIME_OFFER') return OFFER_ENDS
  const own =
    component === 'HEADER' ? `header.${key}` : component === 'BUTTONS' ? `button.${index}` : key
  return card === null ? own : `cards.${card}.${own}`
}

function positionOf(name: string): ValuePosition {
  const [, card, rest = name] = /^cards\.(\d)\.(.+)$/.exec(name) ?? []
  const [, part, key = rest] = /^(header|button)\.(.+)$/.exec(rest) ?? []
  return {
    card: card === undefined ? null : Number(card),
    part: part === 'header' ? 'header' : part === 'button' ? 'buttons' : 'body',
    key,
  }
}

/** Reports whether a variable is a file. Files are the same for all recipients. */
export const isFile = ({ component, key }: TemplateVariable): boolean =>
  component === 'HEADER' && key === 'media'

/** Returns the fixed or default value of a variable; `undefined` if it has neither. */
export function literalOf(
  { mapping, defaults }: Pick<Filling, 'mapping' | 'defaults'>,
  name: string,
): unknown {
  const source = Object.hasOwn(mapping, name) ? mapping[name] : undefined
  if (typeof source === 'object' && 'value' in source) return source.value
  return Object.hasOwn(defaults, name) ? defaults[name] : undefined
}

/**
 * Returns the problems of a mapping and its defaults: unknown variables and unknown contact fields.
 */
export function problemsOfMapping(
  filling: Pick<Filling, 'mapping' | 'defaults'>,
  variables: readonly TemplateVariable[],
  attributeKeys: ReadonlySet<string>,
): FieldProblem[] {
  const known = new Set(variables.map(nameOfVariable))
  const problems: FieldProblem[] = []
  for (const [name, source] of Object.entries(filling.mapping)) {
    const path = `body.variable_mapping.${name}`
    if (!known.has(name))
      problems.push({
        path,
        message: `is not a variable of the template${known.size === 0 ? '' : `: it has ${[...known].join(', ')}`}`,
      })
    const field = typeof source === 'string' ? source : 'field' in source ? source.field : null
    const [, space, key = ''] = OWN_FIELD.exec(field ?? '') ?? []
    const isField =
      field === null ||
      Object.hasOwn(FIELDS, field) ||
      space === 'metadata' ||
      (space === 'attributes' && attributeKeys.has(key))
    if (!isField) problems.push({ path, message: `${field} is not a contact field` })
  }
  for (const name of Object.keys(filling.defaults))
    if (!known.has(name))
      problems.push({
        path: `body.default_params.${name}`,
        message: 'is not a variable of the template',
      })
  return problems
}

function fieldOf(contact: ContactRow, field: string): unknown {
  const own = FIELDS[field]
  if (own) return own(contact)
  const [, space, key = ''] = OWN_FIELD.exec(field) ?? []
  const values = JSON.parse(
    space === 'attributes' ? contact.attributes : contact.metadata,
  ) as Record<string, unknown>
  return Object.hasOwn(values, key) ? values[key] : null
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

function valueOf(
  { contact, own }: { contact: ContactRow | null; own: OwnParams | null },
  source: Source,
): unknown {
  if (typeof source === 'object' && 'value' in source) return source.value
  if (typeof source === 'object' && 'column' in source) {
    const cell = own?.columns?.[source.column]
    return isEmpty(cell) ? source.default : cell
  }
  const value = contact && fieldOf(contact, typeof source === 'string' ? source : source.field)
  return isEmpty(value) && typeof source === 'object' ? source.default : value
}

/**
 * Returns the template values of one recipient: imported values first, then the mapping, then
 * defaults. `contact` is `null` for a number without a contact.
 */
export function valuesFor(
  filling: Filling,
  contact: ContactRow | null,
  own: OwnParams | null,
): TemplateValues {
  const cards = filling.cardFiles.map((file): CardValues => ({
    body: {},
    header: {},
    buttons: {},
    file,
  }))
  const root: TemplateValues = { body: {}, header: {}, buttons: {}, file: filling.headerFile }
  const put = (name: string, value: unknown): void => {
    if (name === OFFER_ENDS) root.offerExpiresAt = String(value)
    const { card, part, key } = positionOf(name)
    const at = card === null ? root : cards[card]
    if (name === OFFER_ENDS || !at || (part === 'header' && key === 'media')) return
    // A location or a product has several fields under one name.
    const isWhole =
      part === 'header' && (key === 'location' || key === 'product') && isObject(value)
    at[part] = { ...at[part], ...(isWhole ? value : { [key]: value }) }
  }
  for (const [name, value] of Object.entries(filling.defaults)) put(name, value)
  for (const [name, source] of Object.entries(filling.mapping)) {
    const value = valueOf({ contact, own }, source)
    if (!isEmpty(value)) put(name, value)
  }
  for (const [part, values] of [
    ['body', own?.template_params],
    ['header', own?.header_params],
    ['buttons', own?.button_params],
  ] as const)
    for (const [key, value] of Object.entries(values ?? {}))
      if (!isEmpty(value)) root[part] = { ...root[part], [key]: value }
  return { ...root, ...(cards.length === 0 ? {} : { cards }) }
}
