import type { Template } from '../../api/shapes'

/** What templates are for. */
export const CATEGORIES = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const

/** What a template begins with. */
export const HEADERS = [
  'NONE',
  'TEXT',
  'IMAGE',
  'VIDEO',
  'GIF',
  'DOCUMENT',
  'LOCATION',
  'PRODUCT',
] as const
export type HeaderFormat = (typeof HEADERS)[number]

/** What a card begins with. */
export const CARD_HEADERS = ['IMAGE', 'VIDEO', 'PRODUCT'] as const

/** The kinds of buttons, in the order in which they are offered. */
export const BUTTONS = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'FLOW',
  'VOICE_CALL',
  'CALL_PERMISSION_REQUEST',
  'CATALOG',
  'MPM',
  'SPM',
  'REQUEST_CONTACT_INFO',
] as const
export type ButtonType = (typeof BUTTONS)[number]

/** What is special about a template. */
export const KINDS = ['PLAIN', 'CAROUSEL', 'OFFER'] as const
export type Kind = (typeof KINDS)[number]

/** How a one-time code comes from the message into the app. */
export const CODE_WAYS = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'] as const
export type CodeWay = (typeof CODE_WAYS)[number]

export type Loose = Record<string, unknown>

/** A button as it is edited. What its kind does not use is empty. */
export interface ButtonForm {
  type: ButtonType
  text: string
  url: string
  phone_number: string
  flow_id: string
  /** The screen of a form that opens first. */
  screen: string
  /** Of the end of an address, or of a code. */
  example: string
  /** What is not edited here, but stays. */
  kept: Loose
}

/** A card as it is edited. */
export interface CardForm {
  format: (typeof CARD_HEADERS)[number]
  mediaId: string | null
  /** The sample that WhatsApp has of its file, until another one is chosen. */
  kept: Loose
  body: string
  samples: Samples
  buttons: ButtonForm[]
}

/** An app on the customer's phone that a code is filled into. */
export interface AppForm {
  package_name: string
  signature_hash: string
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
  /** The sample that WhatsApp has of the header's file, until another one is chosen. */
  headerKept: Loose
  body: string
  samples: Samples
  footer: string
  buttons: ButtonForm[]
  cards: CardForm[]
  offer: string
  hasEnd: boolean
  hasAdvice: boolean
  minutes: number | null
  codeWay: CodeWay
  codeButton: string
  fillButton: string
  apps: AppForm[]
  hasTerms: boolean
  /** For how long WhatsApp tries to deliver, in seconds; `null` for as long as it usually does. */
  ttl: number | null
  /** Whether WhatsApp must not change it; `null` as the organization says. */
  optOut: boolean | null
  /** The most that 1,000 delivered messages may cost, in the smallest unit; `null` for the usual price. */
  maxPrice: number | null
  /** When what the person saw was stored. */
  updated_at: string
}

export const EMPTY_BUTTON: ButtonForm = {
  ...{ type: 'QUICK_REPLY', text: '', url: '', phone_number: '', flow_id: '', screen: '' },
  ...{ example: '', kept: {} },
}
export const EMPTY_CARD: CardForm = {
  ...{ format: 'IMAGE', mediaId: null, kept: {}, body: '', samples: {}, buttons: [EMPTY_BUTTON] },
}
export const EMPTY_APP: AppForm = { package_name: '', signature_hash: '' }

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
  headerKept: {},
  body: '',
  samples: {},
  footer: '',
  buttons: [],
  cards: [EMPTY_CARD, EMPTY_CARD],
  offer: '',
  hasEnd: false,
  hasAdvice: true,
  minutes: 10,
  codeWay: 'COPY_CODE',
  codeButton: '',
  fillButton: '',
  apps: [],
  hasTerms: false,
  ttl: null,
  optOut: null,
  maxPrice: null,
  updated_at: '',
}

/** Returns the names of the variables of a text, in their order. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
]
