import type { Template } from '../../api/shapes'
import { partOf } from '../../parts/phone/message'

/** What a template begins with. */
export const HEADERS = ['NONE', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const
export type HeaderFormat = (typeof HEADERS)[number]

/** The kinds of buttons, in the order in which they are offered. */
export const BUTTONS = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'FLOW',
  'VOICE_CALL',
  'CATALOG',
  'REQUEST_CONTACT_INFO',
] as const
export type ButtonType = (typeof BUTTONS)[number]

/** What is special about a template. */
export const KINDS = ['PLAIN', 'CAROUSEL', 'OFFER'] as const
export type Kind = (typeof KINDS)[number]

/** A button as it is edited. What its kind does not use is empty. */
export interface ButtonForm {
  type: ButtonType
  text: string
  url: string
  phone_number: string
  flow_id: string
  /** Of the end of an address, or of a code. */
  example: string
}

/** A card as it is edited. */
export interface CardForm {
  format: 'IMAGE' | 'VIDEO'
  mediaId: string | null
  body: string
  samples: Samples
  buttons: ButtonForm[]
}

/** Examples of variables by their names. */
export type Samples = Record<string, string>

/** A template as it is edited. */
export interface TemplateForm {
  accountId: string
  name: string
  language: string
  category: Template['category']
  kind: Kind
  header: HeaderFormat
  headerText: string
  headerSamples: Samples
  mediaId: string | null
  body: string
  samples: Samples
  footer: string
  buttons: ButtonForm[]
  cards: CardForm[]
  offer: string
  hasEnd: boolean
  hasAdvice: boolean
  minutes: number | null
  /** When what the person saw was stored. */
  updated_at: string
}

export const EMPTY_BUTTON: ButtonForm = {
  ...{ type: 'QUICK_REPLY', text: '', url: '', phone_number: '', flow_id: '', example: '' },
}
export const EMPTY_CARD: CardForm = {
  ...{ format: 'IMAGE', mediaId: null, body: '', samples: {}, buttons: [EMPTY_BUTTON] },
}

/** A template of which nothing is written yet. */
export const EMPTY_FORM: TemplateForm = {
  accountId: '',
  name: '',
  language: 'en',
  category: 'UTILITY',
  kind: 'PLAIN',
  header: 'NONE',
  headerText: '',
  headerSamples: {},
  mediaId: null,
  body: '',
  samples: {},
  footer: '',
  buttons: [],
  cards: [EMPTY_CARD, EMPTY_CARD],
  offer: '',
  hasEnd: false,
  hasAdvice: true,
  minutes: 10,
  updated_at: '',
}

export type Loose = Record<string, unknown>

const word = (from: Loose | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}
const list = (from: Loose | undefined, name: string): Loose[] => {
  const value = from?.[name]
  return Array.isArray(value) ? (value as Loose[]) : []
}

/** Returns the names of the variables of a text, in their order. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
]

const buttonOf = (button: Loose): ButtonForm => {
  const { example } = button
  return {
    type: (word(button, 'type') || 'QUICK_REPLY') as ButtonType,
    text: word(button, 'text'),
    url: word(button, 'url'),
    phone_number: word(button, 'phone_number'),
    flow_id: word(button, 'flow_id'),
    example: Array.isArray(example) ? String(example[0] ?? '') : word(button, 'example'),
  }
}

function samplesOf({ sample_values: all }: Template, component: string, card: number | null) {
  const own = all.filter((one) => one.component === component && one.card === card)
  return Object.fromEntries(own.map((one) => [one.param_name ?? String(one.index), one.value]))
}

/** Returns a template as it is edited. */
export function formOf(template: Template): TemplateForm {
  const { components } = template
  const header = partOf(components, 'HEADER')
  const offer = partOf(components, 'LIMITED_TIME_OFFER')
  const carousel = partOf(components, 'CAROUSEL')
  const footer = partOf(components, 'FOOTER')
  const minutes = footer?.['code_expiration_minutes']
  return {
    ...EMPTY_FORM,
    accountId: template.account_id,
    name: template.display_name,
    language: template.language,
    category: template.category,
    kind: carousel ? 'CAROUSEL' : offer ? 'OFFER' : 'PLAIN',
    header: (word(header, 'format') || 'NONE') as HeaderFormat,
    headerText: word(header, 'text'),
    headerSamples: samplesOf(template, 'HEADER', null),
    mediaId: template.header_media_id,
    body: word(partOf(components, 'BODY'), 'text'),
    samples: samplesOf(template, 'BODY', null),
    footer: word(footer, 'text'),
    buttons: list(partOf(components, 'BUTTONS'), 'buttons').map(buttonOf),
    cards: carousel
      ? list(carousel, 'cards').map((card, index) => {
          const parts = list(card, 'components')
          const top = partOf(parts, 'HEADER')
          return {
            format: word(top, 'format') === 'VIDEO' ? 'VIDEO' : 'IMAGE',
            mediaId: word(top, 'media_id') || null,
            body: word(partOf(parts, 'BODY'), 'text'),
            samples: samplesOf(template, 'BODY', index),
            buttons: list(partOf(parts, 'BUTTONS'), 'buttons').map(buttonOf),
          }
        })
      : EMPTY_FORM.cards,
    offer: word(offer, 'text'),
    hasEnd: offer?.['has_expiration'] === true,
    hasAdvice: partOf(components, 'BODY')?.['add_security_recommendation'] === true,
    minutes: typeof minutes === 'number' ? minutes : null,
    updated_at: template.updated_at,
  }
}
