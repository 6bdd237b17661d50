import {
  numberOf,
  isObject,
  listOf,
  objectOf,
  textOf,
  wordOf,
  type JsonObject,
} from '../../../platform/lenient-json'
import {
  componentOf,
  MEDIA_FORMATS,
  type Body,
  type Button,
  type Card,
  type Component,
  type Footer,
  type Header,
  type Offer,
  type ParameterFormat,
} from '../../../platform/templates/components'
import type { Report } from '../../../lib/input-problems'
import { readButtons } from './buttons'
import {
  checkSurroundings,
  checkVariables,
  formatIn,
  LIMITS,
  readExamples,
  readFixed,
  readText,
  type Reading,
  type Sample,
} from './texts'

/** What is read of a template. */
export interface TemplateComponentsInput {
  category: string
  components: readonly unknown[]
  samples: readonly Sample[]
  /** `undefined`: as the texts are written. */
  format: ParameterFormat | undefined
}

const CARDS = { least: 2, most: 10 } as const
const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']
const CARD_TYPES = ['HEADER', 'BODY', 'BUTTONS']

/**
 * Reads the components of a template as the platform's documents and people write them (types in
 * any case, examples inside or beside), and reports everything the platform would refuse: texts,
 * variables, examples, buttons, what goes together (templates contract A).
 */
export function readComponents(
  report: Report,
  asked: TemplateComponentsInput,
  path = 'body.components',
): { components: Component[]; format: ParameterFormat } {
  const format = asked.format ?? formatIn(textsIn(asked.components))
  const isAuthentication = asked.category === 'AUTHENTICATION'
  const reading: Reading = { report, samples: asked.samples, format, card: null, isAuthentication }
  const components = asked.components.flatMap((value, index) => {
    const read = readComponent(reading, `${path}.${index}`, value)
    return read ? [read] : []
  })
  checkTogether(report, path, components, asked.category)
  return { components: inOrder(components), format }
}

/** The texts of all components, to see how their variables are written. */
function textsIn(components: readonly unknown[]): string[] {
  return components
    .filter(isObject)
    .flatMap((component) => [
      ...(typeof component.text === 'string' ? [component.text] : []),
      ...textsIn(listOf(component.cards).flatMap((card) => listOf(objectOf(card).components))),
    ])
}

/** As the customer sees them. */
const inOrder = (components: Component[]): Component[] =>
  components.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type))
const ORDER = ['HEADER', 'LIMITED_TIME_OFFER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL']

function readComponent(reading: Reading, path: string, value: unknown): Component | null {
  const component = isObject(value) ? value : {}
  const type = (wordOf(component.type) ?? '').toUpperCase()
  switch (type) {
    case 'HEADER':
      return readHeader(reading, path, component)
    case 'BODY':
      return readBody(reading, path, component)
    case 'FOOTER':
      return readFooter(reading, path, component)
    case 'BUTTONS':
      return { type, buttons: readButtons(reading, `${path}.buttons`, component.buttons) }
    case 'CAROUSEL':
      return { type, cards: readCards(reading, `${path}.cards`, component.cards) }
    case 'LIMITED_TIME_OFFER':
      return readOffer(reading, path, component)
    default:
      reading.report(`${path}.type`, `must be one of ${TYPES.join(', ')}`)
      return null
  }
}

function readHeader(reading: Reading, path: string, component: JsonObject): Header | null {
  const format = (wordOf(component.format) ?? 'TEXT').toUpperCase()
  const media = MEDIA_FORMATS.find((known) => known === format)
  if (media !== undefined) {
    const handles = handlesOf(component.example)
    const mediaId = wordOf(component.media_id)
    return {
      type: 'HEADER',
      format: media,
      ...(handles.length === 0 ? {} : { example: { header_handle: handles } }),
      ...(mediaId === null ? {} : { media_id: mediaId }),
    }
  }
  if (format === 'LOCATION' || format === 'PRODUCT') return { type: 'HEADER', format }
  if (format !== 'TEXT') {
    reading.report(
      `${path}.format`,
      `must be one of TEXT, ${MEDIA_FORMATS.join(', ')}, LOCATION, PRODUCT`,
    )
    return null
  }
  const text = readText(reading, `${path}.text`, component.text, LIMITS.header)
  const names = checkVariables(reading, `${path}.text`, text)
  if (names.length > 1) reading.report(`${path}.text`, 'allows one variable at most')
  if (/\n/.test(text)) reading.report(`${path}.text`, 'must be one line')
  const example = readExamples(reading, { path, component: 'HEADER' }, names, component.example)
  return { type: 'HEADER', format, text, ...(example ? { example } : {}) }
}

const handlesOf = (example: unknown): string[] => {
  const { header_handle } = objectOf(example)
  return (Array.isArray(header_handle) ? listOf(header_handle) : [header_handle])
    .map(wordOf)
    .filter((handle) => handle !== null)
}

function readBody(reading: Reading, path: string, component: JsonObject): Body {
  const { isAuthentication, card } = reading
  if (isAuthentication && card === null) {
    if (component.text !== undefined && component.text !== null)
      reading.report(
        `${path}.text`,
        'is written by the platform for the category AUTHENTICATION; leave it out',
      )
    return {
      type: 'BODY',
      add_security_recommendation: component.add_security_recommendation === true,
    }
  }
  if (
    component.add_security_recommendation !== undefined &&
    component.add_security_recommendation !== null
  )
    reading.report(
      `${path}.add_security_recommendation`,
      'is only allowed for the category AUTHENTICATION',
    )
  const text = readText(
    reading,
    `${path}.text`,
    component.text,
    card === null ? LIMITS.body : LIMITS.cardBody,
  )
  const names = checkVariables(reading, `${path}.text`, text)
  checkSurroundings(reading, `${path}.text`, text, names)
  const example = readExamples(reading, { path, component: 'BODY' }, names, component.example)
  return { type: 'BODY', text, ...(example ? { example } : {}) }
}

function readFooter(reading: Reading, path: string, component: JsonObject): Footer {
  if (!reading.isAuthentication) {
    if (
      component.code_expiration_minutes !== undefined &&
      component.code_expiration_minutes !== null
    )
      reading.report(
        `${path}.code_expiration_minutes`,
        'is only allowed for the category AUTHENTICATION',
      )
    return {
      type: 'FOOTER',
      text: readFixed(reading, `${path}.text`, component.text, LIMITS.footer),
    }
  }
  if (component.text !== undefined && component.text !== null)
    reading.report(
      `${path}.text`,
      'is written by the platform for the category AUTHENTICATION; leave it out',
    )
  const minutes = numberOf(component.code_expiration_minutes)
  const isGood = minutes !== null && Number.isInteger(minutes) && minutes >= 1 && minutes <= 90
  if (!isGood)
    reading.report(`${path}.code_expiration_minutes`, 'must be a whole number from 1 to 90')
  return { type: 'FOOTER', code_expiration_minutes: minutes ?? 0 }
}

/** An offer, flat as we write it or nested as the platform does. */
function readOffer(reading: Reading, path: string, component: JsonObject): Offer {
  const offer = isObject(component.limited_time_offer) ? component.limited_time_offer : component
  return {
    type: 'LIMITED_TIME_OFFER',
    text: readFixed(reading, `${path}.text`, offer.text, LIMITS.offer),
    has_expiration: offer.has_expiration === true,
  }
}

function readCards(reading: Reading, path: string, value: unknown): Card[] {
  const { report } = reading
  const given = listOf(value)
  if (given.length < CARDS.least || given.length > CARDS.most)
    report(path, `must have ${CARDS.least} to ${CARDS.most} cards`)
  const cards = given.map((card, index) =>
    readCard({ ...reading, card: index }, `${path}.${index}.components`, card),
  )
  const [first, ...others] = cards.map(structureOf)
  others.forEach((structure, index) => {
    if (structure !== first)
      report(
        `${path}.${index + 1}`,
        'must have the same header format and the same buttons as the first card',
      )
  })
  return cards
}

function readCard(reading: Reading, path: string, value: unknown): Card {
  const { report } = reading
  const given = listOf(objectOf(value).components)
  const components = given.flatMap((component, index) => {
    const at = `${path}.${index}`
    if (
      !isObject(component) ||
      !CARD_TYPES.includes((wordOf(component.type) ?? '').toUpperCase())
    ) {
      report(`${at}.type`, `must be one of ${CARD_TYPES.join(', ')}`)
      return []
    }
    const read = readComponent(reading, at, component)
    return read ? [read as Header | Body] : []
  })
  const sorted = inOrder(components) as Card['components']
  const header = componentOf(sorted, 'HEADER')
  if (header === undefined || !['IMAGE', 'VIDEO', 'PRODUCT'].includes(header.format))
    report(path, 'requires a header with an image or a video')
  const buttons = componentOf(sorted, 'BUTTONS')?.buttons ?? []
  if (buttons.length < 1 || buttons.length > 2) report(path, 'requires one or two buttons')
  onlyOnce(report, path, sorted)
  return { components: sorted }
}

/** What all cards have to have in common. */
function structureOf({ components }: Card): string {
  const buttons: readonly Button[] = componentOf(components, 'BUTTONS')?.buttons ?? []
  return JSON.stringify([
    componentOf(components, 'HEADER')?.format,
    componentOf(components, 'BODY') !== undefined,
    buttons.map((button) => [button.type, button.text]),
  ])
}

function onlyOnce(report: Report, path: string, components: readonly Component[]): void {
  for (const type of TYPES)
    if (components.filter((component) => component.type === type).length > 1)
      report(path, `must have at most one ${type}`)
}

/** What only all components together show. */
function checkTogether(
  report: Report,
  path: string,
  components: readonly Component[],
  category: string,
): void {
  onlyOnce(report, path, components)
  const has = (type: Component['type']): boolean =>
    components.some((component) => component.type === type)
  if (!has('BODY')) report(path, 'requires a BODY')
  if (has('LIMITED_TIME_OFFER') && category !== 'MARKETING')
    report(path, 'allows a LIMITED_TIME_OFFER only for the category MARKETING')
  if (has('LIMITED_TIME_OFFER') && has('FOOTER'))
    report(path, 'allows no FOOTER next to a LIMITED_TIME_OFFER')
  if (has('CAROUSEL')) {
    if (category === 'AUTHENTICATION')
      report(path, 'allows no CAROUSEL for the category AUTHENTICATION')
    const beside = (['HEADER', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER'] as const).find(has)
    if (beside !== undefined) report(path, `allows no ${beside} next to a CAROUSEL`)
  }
  if (category !== 'AUTHENTICATION') return
  if (has('HEADER')) report(path, 'allows no HEADER for the category AUTHENTICATION')
  if (componentOf(components, 'BUTTONS')?.buttons.some(({ type }) => type === 'OTP') !== true)
    report(path, 'requires an OTP button for the category AUTHENTICATION')
}

/** The texts people look for a template by. */
export const bodyTextOf = (components: readonly Component[]): string | null =>
  textOf(componentOf(components, 'BODY')?.text)
