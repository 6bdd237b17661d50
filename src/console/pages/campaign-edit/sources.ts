import type { Contact, Template } from '../../api/shapes'
import type { PhoneValues } from '../../parts/phone/message'
import {
  cardFilesOf,
  isOther,
  nameOfVariable,
  wordsOf,
  type Variable,
} from '../../parts/template/variables'

/** Where the value of a variable comes from, as it is edited. */
export interface Source {
  kind: 'text' | 'field' | 'column'
  /** The text, the field of a contact, or the column of a file. */
  value: string
  /** What stands there for those who have none. */
  otherwise: string
}

/** The sources of the variables of a template as the API has them. */
export type Mapping = Record<string, unknown>

const NOTHING: Source = { kind: 'text', value: '', otherwise: '' }

/** Returns what a campaign cannot be given here, although the template needs it. */
export const beyondOf = ({ variables }: Pick<Template, 'variables'>): Variable[] =>
  variables.filter(
    ({ key, required }) => required && isOther(key) && key !== 'media' && key !== 'expires_at',
  )

const wordIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Reads the source of a variable. */
export function readSource(mapping: Mapping, name: string): Source {
  const written = mapping[name]
  if (typeof written === 'string') return { kind: 'field', value: written, otherwise: '' }
  if (typeof written !== 'object' || written === null) return NOTHING
  const { field, column, value, default: otherwise } = written as Record<string, unknown>
  if (field !== undefined)
    return { kind: 'field', value: wordIn(field), otherwise: wordIn(otherwise) }
  if (column !== undefined)
    return { kind: 'column', value: wordIn(column), otherwise: wordIn(otherwise) }
  return { kind: 'text', value: wordIn(value), otherwise: '' }
}

/** Writes the source of a variable into a mapping; nothing stands for an empty one. */
export function writeSource(mapping: Mapping, name: string, source: Source): Mapping {
  const { [name]: _, ...rest } = mapping
  const { kind, value, otherwise } = source
  if (value === '') return rest
  if (kind === 'text') return { ...rest, [name]: { value } }
  if (kind === 'column')
    return {
      ...rest,
      [name]: { column: value, ...(otherwise === '' ? {} : { default: otherwise }) },
    }
  return { ...rest, [name]: otherwise === '' ? value : { field: value, default: otherwise } }
}

/** Returns the variables that need a value and have no source. */
export const unboundOf = (template: Pick<Template, 'variables'>, mapping: Mapping): Variable[] =>
  [...wordsOf(template), ...cardFilesOf(template)].filter(
    (one) => one.required && readSource(mapping, nameOfVariable(one)).value === '',
  )

/** Returns a mapping without variables that a template does not have. */
export function keepKnown(template: Pick<Template, 'variables'>, mapping: Mapping): Mapping {
  const known = new Set(template.variables.map(nameOfVariable))
  return Object.fromEntries(Object.entries(mapping).filter(([name]) => known.has(name)))
}

/** Returns a mapping in which variables without a source have the column of their name. */
export function bindColumns(
  template: Pick<Template, 'variables'>,
  mapping: Mapping,
  columns: readonly string[],
): Mapping {
  let bound = mapping
  for (const name of unboundOf(template, mapping).map(nameOfVariable))
    if (columns.includes(name))
      bound = writeSource(bound, name, { kind: 'column', value: name, otherwise: '' })
  return bound
}

/** Somebody of the audience: their contact, or their row of a file. */
export interface Person {
  id: string
  name: string
  contact: Contact | null
  /** Values of their row by the heading. */
  columns: Readonly<Record<string, unknown>>
}

function fieldIn(contact: Contact | null, field: string): unknown {
  if (contact === null) return undefined
  if (field === 'name') return contact.name ?? contact.profile_name
  const own = /^attributes\.(.+)$/.exec(field)?.[1]
  return own === undefined ? contact[field as keyof Contact] : contact.attributes[own]
}

/** Returns what a variable says for a person; an empty text if nothing does. */
export function valueFor({ kind, value, otherwise }: Source, person: Person | null): string {
  if (kind === 'text') return value
  const found = kind === 'column' ? person?.columns[value] : fieldIn(person?.contact ?? null, value)
  const words = typeof found === 'boolean' ? String(found) : wordIn(found)
  return words === '' ? otherwise : words
}

/** Returns what a template says for a person, for the phone. */
export function valuesFor(
  template: Pick<Template, 'variables'>,
  mapping: Mapping,
  person: Person | null,
): PhoneValues {
  const part = (component: Variable['component'], card: number | null): Record<string, string> =>
    Object.fromEntries(
      wordsOf(template)
        .filter((one) => one.component === component && one.card === card)
        .map((one) => [
          component === 'BUTTONS' ? String(one.index) : one.key,
          valueFor(readSource(mapping, nameOfVariable(one)), person),
        ]),
    )
  const valuesOf = (card: number | null): PhoneValues => {
    const file = cardFilesOf(template).find((one) => one.card === card)
    const mediaId = file ? readSource(mapping, nameOfVariable(file)).value : ''
    return {
      body: part('BODY', card),
      header: part('HEADER', card),
      buttons: part('BUTTONS', card),
      ...(mediaId === '' ? {} : { mediaId }),
    }
  }
  const last = Math.max(-1, ...template.variables.map(({ card }) => card ?? -1))
  return {
    ...valuesOf(null),
    cards: Array.from({ length: last + 1 }, (_, card) => valuesOf(card)),
    offerExpiresAt: readSource(mapping, 'offer_expires_at').value || null,
  }
}
