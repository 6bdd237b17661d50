import type { Template } from '../../api/shapes'
import { t } from '../../texts/texts'

/** The top of a message. `file` is the address of a picture, if there is one to show. */
export type PhoneHeader =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'video' | 'document'; file: string | null; name?: string | null }
  | { kind: 'location'; name: string | null; address: string | null }
  | { kind: 'product' }

/** A button below a message. */
export interface PhoneButton {
  kind: 'reply' | 'link' | 'phone' | 'copy' | 'form' | 'products' | 'call' | 'contact'
  /** What WhatsApp writes on it if it is empty differs by kind. */
  text: string
}

/** A card of a carousel. */
export interface PhoneCard {
  header: PhoneHeader | null
  body: string
  buttons: readonly PhoneButton[]
}

/** A message as a customer sees it. */
export interface PhoneMessage extends PhoneCard {
  footer: string
  offer?: { text: string; expiresAt: string | null; code: string | null } | null
  cards?: readonly PhoneCard[]
  /** The button that opens a list, and what the list has. */
  list?: { button: string; sections: readonly PhoneSection[] } | null
  /** Language of the words, such as `ar` or `pt_BR`; it decides where a line begins. */
  language?: string
}

/** A part of a list, with its rows. */
export interface PhoneSection {
  title: string
  rows: readonly { title: string; description: string }[]
}

const FROM_RIGHT = new Set(['ar', 'fa', 'he', 'ur', 'ps', 'prs'])

/** Whether a language such as `ar` or `pt_BR` is written from right to left. */
export const isFromRight = (language: string): boolean =>
  FROM_RIGHT.has(language.split(/[-_]/, 1)[0] ?? '')

type Loose = Record<string, unknown>

/** Values of the variables of a template by their names, as the API takes them. */
export interface PhoneValues {
  body?: Readonly<Record<string, string>>
  header?: Readonly<Record<string, string>>
  buttons?: Readonly<Record<string, string>>
  cards?: readonly PhoneValues[]
  /** The file of the header. */
  mediaId?: string | null
  offerExpiresAt?: string | null
}

const wordIn = (from: Loose | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}
export const listIn = (from: Loose | undefined, name: string): Loose[] => {
  const value = from?.[name]
  return Array.isArray(value) ? (value as Loose[]) : []
}

/** Returns a component of a template by its type. */
export const partOf = (components: readonly Loose[], type: string): Loose | undefined =>
  components.find((one) => wordIn(one, 'type').toUpperCase() === type)

/** Returns a text with its variables filled in. Those without a value stay as they are. */
export const filledIn = (text: string, values: Readonly<Record<string, string>> = {}): string =>
  text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (all, name: string) => values[name] || all)

const KINDS: Record<string, PhoneButton['kind']> = {
  QUICK_REPLY: 'reply',
  URL: 'link',
  PHONE_NUMBER: 'phone',
  COPY_CODE: 'copy',
  OTP: 'copy',
  FLOW: 'form',
  CATALOG: 'products',
  MPM: 'products',
  SPM: 'products',
  VOICE_CALL: 'call',
  CALL_PERMISSION_REQUEST: 'call',
  REQUEST_CONTACT_INFO: 'contact',
}

const buttonsOf = (components: readonly Loose[]): PhoneButton[] =>
  listIn(partOf(components, 'BUTTONS'), 'buttons').map((button) => ({
    kind: KINDS[wordIn(button, 'type').toUpperCase()] ?? 'reply',
    text: wordIn(button, 'text'),
  }))

function headerOf(components: readonly Loose[], values: PhoneValues): PhoneHeader | null {
  const header = partOf(components, 'HEADER')
  if (!header) return null
  const format = wordIn(header, 'format').toUpperCase()
  if (format === 'LOCATION') {
    const { name = '', address = '' } = values.header ?? {}
    return { kind: 'location', name, address }
  }
  if (format === 'PRODUCT') return { kind: 'product' }
  if (format === 'TEXT' || format === '')
    return { kind: 'text', text: filledIn(wordIn(header, 'text'), values.header) }
  const mediaId = values.mediaId ?? (wordIn(header, 'media_id') || null)
  return {
    kind: format === 'IMAGE' ? 'image' : format === 'DOCUMENT' ? 'document' : 'video',
    file: mediaId === null ? null : `/api/media/${mediaId}`,
  }
}

const cardOf = (components: readonly Loose[], values: PhoneValues): PhoneCard => ({
  header: headerOf(components, values),
  body: filledIn(wordIn(partOf(components, 'BODY'), 'text'), values.body),
  buttons: buttonsOf(components),
})

/** Returns the first example of each variable of a template. */
export function examplesOf({ variables }: Pick<Template, 'variables'>): PhoneValues {
  const of = (component: string, card: number | null): Record<string, string> =>
    Object.fromEntries(
      variables
        .filter((one) => one.component === component && one.card === card && one.example !== null)
        .map((one) => [component === 'BUTTONS' ? String(one.index) : one.key, one.example ?? '']),
    )
  const cards = new Set(variables.flatMap(({ card }) => card ?? []))
  const valuesOf = (card: number | null): PhoneValues => ({
    body: of('BODY', card),
    header: of('HEADER', card),
    buttons: of('BUTTONS', card),
  })
  return {
    ...valuesOf(null),
    cards: Array.from({ length: cards.size === 0 ? 0 : Math.max(...cards) + 1 }, (_, card) =>
      valuesOf(card),
    ),
  }
}

/** Returns the words of WhatsApp around a one-time code; in the language of the page, because they are not told. */
const codeText = (code = '{{1}}', hasAdvice: boolean): string =>
  [t('parts.phone.code', { code: `*${code}*` }), hasAdvice && t('parts.phone.code-advice')]
    .filter((words) => words !== false)
    .join(' ')

/** Returns what a customer sees of a template with these values. */
export function messageOf(
  {
    components,
    language,
    category,
  }: { components: readonly Loose[]; language: string; category: string },
  values: PhoneValues,
): PhoneMessage {
  const body = partOf(components, 'BODY')
  const footer = partOf(components, 'FOOTER')
  const offer = partOf(components, 'LIMITED_TIME_OFFER')
  const copied = listIn(partOf(components, 'BUTTONS'), 'buttons').findIndex(
    (button) => wordIn(button, 'type').toUpperCase() === 'COPY_CODE',
  )
  const minutes = footer?.['code_expiration_minutes']
  const text =
    wordIn(body, 'text') ||
    // WhatsApp writes the words of authentication templates
    (category === 'AUTHENTICATION'
      ? codeText(values.body?.['1'], body?.['add_security_recommendation'] === true)
      : '')
  return {
    ...cardOf(components, values),
    body: filledIn(text, values.body),
    footer:
      wordIn(footer, 'text') ||
      (typeof minutes === 'number' ? t('parts.phone.code-expires', { minutes }) : ''),
    offer: offer
      ? {
          text: wordIn(offer, 'text'),
          expiresAt: values.offerExpiresAt ?? null,
          code: values.buttons?.[String(copied)] ?? null,
        }
      : null,
    cards: listIn(partOf(components, 'CAROUSEL'), 'cards').map((card, index) =>
      cardOf(listIn(card, 'components'), values.cards?.[index] ?? {}),
    ),
    language,
  }
}
