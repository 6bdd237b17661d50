import type { Body } from '../../api/client'
import type { Contact, Template } from '../../api/shapes'
import { WRITTEN_FIELDS } from '../contact/written-fields'
import { partOf, type PhoneValues } from '../phone/message'
import { cardFilesOf, isOther, nameOfVariable, wordsOf, type Variable } from './variables'
import { asksForName } from './asks-for-name'

/** What is filled in, by the names of the variables. */
export type Values = Readonly<Record<string, string>>

/** The parts of a place in a header. */
export const PLACE = ['name', 'address', 'latitude', 'longitude'] as const

/** What fills in a template of its own accord: what it is asked for, and the end of its offer. */
export const OFFER_END = 'offer_expires_at'

/** Returns the words of a template with its placeholders. */
export function bodyOf({ components }: Pick<Template, 'components'>): string {
  const text = partOf(components, 'BODY')?.['text']
  return typeof text === 'string' ? text : ''
}

/** Returns the first line of a template. */
export const firstLineOf = (template: Pick<Template, 'components'>): string =>
  bodyOf(template).split('\n', 1)[0] ?? ''

/** Whether a template begins with a place. */
export const hasPlace = ({ variables }: Pick<Template, 'variables'>): boolean =>
  variables.some(({ key, card }) => key === 'location' && card === null)

/** Whether an offer of a template ends at a time that has to be told. */
export const hasOfferEnd = ({ variables }: Pick<Template, 'variables'>): boolean =>
  variables.some(({ key }) => key === 'expires_at')

/** Returns what only programs can fill in although the template needs it. */
export const beyondOf = ({ variables }: Pick<Template, 'variables'>): Variable[] =>
  variables.filter(
    ({ key, card, required }) =>
      required &&
      isOther(key) &&
      key !== 'expires_at' &&
      key !== 'media' &&
      (card !== null || key !== 'location'),
  )

/** Returns what is known about a customer under the name of a variable. */
function knownAs(key: string, contact: Contact): string {
  const field = key.toLowerCase().replace(/^(?:contact|customer)_/, '')
  if (field === 'phone' || field === 'phone_number') {
    const number = contact.phone_number ?? ''
    // a masked one is of no use
    return /^\+?\d+$/.test(number) ? number : ''
  }
  const own = WRITTEN_FIELDS.find((one) => one === field)
  const value: unknown = own === undefined ? contact.attributes[key] : contact[own]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Returns what can be filled in at first: the name of the customer, and what variables are named after. */
export function firstValues(
  template: Pick<Template, 'variables' | 'components'>,
  name: string | null,
  contact: Contact | null,
): Values {
  const body = bodyOf(template)
  const words = wordsOf(template)
  const first = words.find((one) => one.component === 'BODY' && asksForName(one, body))
  return Object.fromEntries(
    words.flatMap((one) => {
      const isName = one === first || (one.component === 'HEADER' && asksForName(one, ''))
      const value = isName ? (name ?? '') : contact === null ? '' : knownAs(one.key, contact)
      return value === '' ? [] : [[nameOfVariable(one), value]]
    }),
  )
}

type Params = Pick<
  NonNullable<Body<'POST /api/templates/{id}/preview'>>,
  'template_params' | 'header_params' | 'button_params' | 'offer_expires_at' | 'cards'
> & { header_media_id?: string }

/** Returns the values of one part of a message, or of one of its cards. */
function partsOf(template: Pick<Template, 'variables'>, values: Values, card: number | null) {
  const of = (component: Variable['component']): Record<string, string> =>
    Object.fromEntries(
      wordsOf(template)
        .filter((one) => one.component === component && one.card === card)
        .map((one) => [
          component === 'BUTTONS' ? String(one.index ?? one.key) : one.key,
          values[nameOfVariable(one)] ?? '',
        ]),
    )
  return { template_params: of('BODY'), header_params: of('HEADER'), button_params: of('BUTTONS') }
}

/** Returns the values of a template as the API takes them. */
export function paramsOf(
  template: Pick<Template, 'variables'>,
  values: Values,
  mediaId: string | null,
): Params {
  const end = values[OFFER_END] ?? ''
  const last = Math.max(-1, ...template.variables.map(({ card }) => card ?? -1))
  const { header_params: header, ...parts } = partsOf(template, values, null)
  const place = PLACE.flatMap((key) => {
    const value = values[`header.${key}`] ?? ''
    return value === '' ? [] : [[key, value]]
  })
  return {
    ...parts,
    header_params: hasPlace(template) ? Object.fromEntries(place) : header,
    ...(mediaId === null ? {} : { header_media_id: mediaId }),
    ...(end === '' ? {} : { offer_expires_at: end }),
    ...(last === -1
      ? {}
      : { cards: Array.from({ length: last + 1 }, (_, card) => cardOf(template, values, card)) }),
  }
}

/** Returns the values of a card, with its file if one was chosen. */
function cardOf(template: Pick<Template, 'variables'>, values: Values, card: number) {
  const file = cardFilesOf(template).find((one) => one.card === card)
  const mediaId = (file && values[nameOfVariable(file)]) ?? ''
  return {
    ...partsOf(template, values, card),
    ...(mediaId === '' ? {} : { header_media_id: mediaId }),
  }
}

/** Whether everything is filled in that a template needs. */
export const isComplete = (
  template: Pick<Template, 'variables'>,
  values: Values,
  mediaId: string | null,
): boolean =>
  template.variables.every((one) => {
    const { key, card, required } = one
    if (!required) return true
    if (card === null && key === 'media') return mediaId !== null
    if (card === null && key === 'location')
      return ['latitude', 'longitude'].every((part) => isDegrees(values[`header.${part}`]))
    return !isOther(key) || key === 'expires_at' || key === 'media'
      ? (values[nameOfVariable(one)] ?? '') !== ''
      : false
  })

/** Whether a template can be sent with these values: nothing lacks, and nothing is left to programs. */
export const isReadyWith = (
  template: Pick<Template, 'variables'>,
  values: Values,
  mediaId: string | null,
): boolean => beyondOf(template).length === 0 && isComplete(template, values, mediaId)

const isDegrees = (text = ''): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/** Returns values as the phone shows them. */
export const shownValues = (
  { template_params, header_params, button_params, cards = [], offer_expires_at }: Params,
  mediaId: string | null,
): PhoneValues => ({
  ...shownParts({ template_params, header_params, button_params }),
  ...{ mediaId, offerExpiresAt: offer_expires_at ?? null },
  cards: cards.map(shownParts),
})

function shownParts(parts: Record<string, unknown>): PhoneValues {
  const { template_params: body, header_params: header, button_params: buttons } = parts
  return { body, header, buttons, mediaId: parts['header_media_id'] ?? null } as PhoneValues // made by `partsOf`
}
