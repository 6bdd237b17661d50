import type { Template } from '../../api/shapes'
import { partOf } from '../../parts/phone/message'
import {
  CARD_HEADERS,
  CODE_WAYS,
  EMPTY_FORM,
  type AppForm,
  type ButtonForm,
  type ButtonType,
  type CardForm,
  type HeaderFormat,
  type Loose,
  type Samples,
  type TemplateForm,
} from './form'

const word = (from: Loose | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}
const list = (from: Loose | undefined, name: string): Loose[] => {
  const value = from?.[name]
  return Array.isArray(value) ? (value as Loose[]) : []
}

/** Returns those fields of a part that it has. */
const only = (from: Loose | undefined, names: readonly string[]): Loose =>
  Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => names.includes(name)))

/** What stays of the header of a file while nobody chooses another one. */
const SAMPLE = ['example', 'media_id']

function buttonOf(button: Loose): ButtonForm {
  const { example } = button
  return {
    type: (word(button, 'type') || 'QUICK_REPLY') as ButtonType,
    text: word(button, 'text'),
    url: word(button, 'url'),
    phone_number: word(button, 'phone_number'),
    flow_id: word(button, 'flow_id'),
    screen: word(button, 'screen'),
    example: Array.isArray(example) ? String(example[0] ?? '') : word(button, 'example'),
    kept: only(button, ['flow_name', 'flow_json', 'flow_action']),
  }
}

function samplesOf({ sample_values: all }: Template, component: string, card: number | null) {
  const own = all.filter((one) => one.component === component && one.card === card)
  return Object.fromEntries(
    own.map((one) => [one.param_name ?? String(one.index), one.value]),
  ) as Samples
}

function cardOf(template: Template, card: Loose, index: number): CardForm {
  const parts = list(card, 'components')
  const header = partOf(parts, 'HEADER')
  const format = word(header, 'format')
  return {
    format: CARD_HEADERS.find((one) => one === format) ?? 'IMAGE',
    mediaId: word(header, 'media_id') || null,
    kept: only(header, ['example']),
    body: word(partOf(parts, 'BODY'), 'text'),
    samples: samplesOf(template, 'BODY', index),
    buttons: list(partOf(parts, 'BUTTONS'), 'buttons').map(buttonOf),
  }
}

/** Returns how the code of a template for one-time codes reaches the app. */
function codeOf(components: readonly Loose[]): Partial<TemplateForm> {
  const button = list(partOf(components, 'BUTTONS'), 'buttons').find(({ type }) => type === 'OTP')
  const minutes = partOf(components, 'FOOTER')?.['code_expiration_minutes']
  const way = word(button, 'otp_type')
  return {
    hasAdvice: partOf(components, 'BODY')?.['add_security_recommendation'] === true,
    minutes: typeof minutes === 'number' ? minutes : null,
    codeWay: CODE_WAYS.find((one) => one === way) ?? 'COPY_CODE',
    codeButton: word(button, 'text'),
    fillButton: word(button, 'autofill_text'),
    apps: list(button, 'supported_apps') as unknown as AppForm[], // checked by the server
    hasTerms: button?.['zero_tap_terms_accepted'] === true,
  }
}

/** Returns a template as it is edited. */
export function formOf(template: Template): TemplateForm {
  const { components, category } = template
  const header = partOf(components, 'HEADER')
  const offer = partOf(components, 'LIMITED_TIME_OFFER')
  const carousel = partOf(components, 'CAROUSEL')
  const isCode = category === 'AUTHENTICATION'
  return {
    ...EMPTY_FORM,
    accountId: template.account_id,
    name: template.display_name,
    language: template.language,
    category,
    kind: carousel ? 'CAROUSEL' : offer ? 'OFFER' : 'PLAIN',
    header: (word(header, 'format') || 'NONE') as HeaderFormat,
    headerText: word(header, 'text'),
    headerSamples: samplesOf(template, 'HEADER', null),
    mediaId: template.header_media_id,
    headerKept: word(header, 'format') === 'TEXT' ? {} : only(header, SAMPLE),
    body: word(partOf(components, 'BODY'), 'text'),
    samples: samplesOf(template, 'BODY', null),
    footer: word(partOf(components, 'FOOTER'), 'text'),
    buttons: isCode ? [] : list(partOf(components, 'BUTTONS'), 'buttons').map(buttonOf),
    ...(carousel
      ? { cards: list(carousel, 'cards').map((card, index) => cardOf(template, card, index)) }
      : {}),
    offer: word(offer, 'text'),
    hasEnd: offer?.['has_expiration'] === true,
    ...(isCode ? codeOf(components) : {}),
    ttl: template.message_send_ttl_seconds,
    optOut: template.creative_opt_out,
    maxPrice: template.max_price,
    updated_at: template.updated_at,
  }
}
