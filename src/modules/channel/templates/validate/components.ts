import {
  numberOf,
  isObject,
  listOf,
  objectOf,
  textOf,
  wordOf,
  type JsonObject,
} from '../../../../platform/lenient-json'
import {
  componentOf,
  type Component,
  type Footer,
  type Offer,
  type ParameterFormat,
} from '../../../../platform/templates/components'
import type { Report } from '../../../../lib/input-problems'
import { readButtons } from './buttons'
import { detectFormat, LIMITS, readPlainText, type TextReading, type Sample } from './texts'
import { TYPES, checkCombinations } from './combinations'
import { readHeader } from './header'
import { readBody } from './body'
import { readCards } from './carousel'

/** Components to validate. */
export interface TemplateComponentsInput {
  category: string
  components: readonly unknown[]
  samples: readonly Sample[]
  /** `undefined`: detected from the texts. */
  format: ParameterFormat | undefined
}

/**
 * Reads template components in the spelling of the platform or of people (types in any case,
 * examples inside or separate) and reports everything the platform would reject: texts, variables,
 * examples, buttons, combinations (templates contract A).
 */
export function readComponents(
  report: Report,
  input: TemplateComponentsInput,
  path = 'body.components',
): { components: Component[]; format: ParameterFormat } {
  const format = input.format ?? detectFormat(textsIn(input.components))
  const isAuthentication = input.category === 'AUTHENTICATION'
  const reading: TextReading = {
    report,
    samples: input.samples,
    format,
    card: null,
    isAuthentication,
  }
  const components = input.components.flatMap((value, index) => {
    const read = readComponent(reading, `${path}.${index}`, value)
    return read ? [read] : []
  })
  checkCombinations(report, path, components, input.category)
  return { components: inOrder(components), format }
}

/** Returns the texts of all components, to detect the variable format. */
function textsIn(components: readonly unknown[]): string[] {
  return components
    .filter(isObject)
    .flatMap((component) => [
      ...(typeof component.text === 'string' ? [component.text] : []),
      ...textsIn(listOf(component.cards).flatMap((card) => listOf(objectOf(card).components))),
    ])
}

/** Sorts the components into display order. */
const inOrder = (components: Component[]): Component[] =>
  components.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type))

const ORDER = ['HEADER', 'LIMITED_TIME_OFFER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL']

/** Reads one component; reports an unknown type and returns `null`. */
function readComponent(reading: TextReading, path: string, value: unknown): Component | null {
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

function readFooter(reading: TextReading, path: string, component: JsonObject): Footer {
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
      text: readPlainText(reading, `${path}.text`, component.text, LIMITS.footer),
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

/** Reads an offer, flat or nested as in the platform format. */
function readOffer(reading: TextReading, path: string, component: JsonObject): Offer {
  const offer = isObject(component.limited_time_offer) ? component.limited_time_offer : component
  return {
    type: 'LIMITED_TIME_OFFER',
    text: readPlainText(reading, `${path}.text`, offer.text, LIMITS.offer),
    has_expiration: offer.has_expiration === true,
  }
}

export const bodyTextOf = (components: readonly Component[]): string | null =>
  textOf(componentOf(components, 'BODY')?.text)
