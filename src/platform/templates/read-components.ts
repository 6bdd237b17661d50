import {
  isObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  wordOf,
  type JsonObject,
} from '../lenient-json'
import {
  MEDIA_FORMATS,
  variablesOf,
  type Component,
  type Header,
  type TextExample,
} from './components'
import { readButton } from './read-button'
import { type FlowIds } from './wire-format'

/** Converts the platform's components to our format. Unknown components are kept unchanged. */
export function readComponents(wire: unknown, category: string, flows: FlowIds): Component[] {
  const isAuthentication = category.toUpperCase() === 'AUTHENTICATION'
  const read = listOf(wire)
    .filter(isObject)
    .map((component) => readComponent(component, isAuthentication, flows))
  return read.toSorted((a, b) => orderOf(a) - orderOf(b))
}

const ORDER: readonly string[] = [
  'HEADER',
  'LIMITED_TIME_OFFER',
  'BODY',
  'FOOTER',
  'BUTTONS',
  'CAROUSEL',
]

const orderOf = ({ type }: Component): number =>
  ORDER.indexOf(type) < 0 ? ORDER.length : ORDER.indexOf(type)

function readComponent(wire: JsonObject, isAuthentication: boolean, flows: FlowIds): Component {
  const type = (wordOf(wire.type) ?? '').toUpperCase()
  switch (type) {
    case 'HEADER':
      return readHeader(wire)
    case 'BODY': {
      const text = textOf(wire.text)
      const example = text === null ? undefined : readExample(text, 'body', wire.example)
      return {
        type,
        ...(text === null ? {} : { text }),
        ...(example && !isAuthentication ? { example } : {}),
        ...(isAuthentication
          ? { add_security_recommendation: wire.add_security_recommendation === true }
          : {}),
      }
    }
    case 'FOOTER': {
      const [text, minutes] = [textOf(wire.text), numberOf(wire.code_expiration_minutes)]
      return {
        type,
        ...(text === null ? {} : { text }),
        ...(minutes === null ? {} : { code_expiration_minutes: minutes }),
      }
    }
    case 'BUTTONS':
      return {
        type,
        buttons: listOf(wire.buttons)
          .filter(isObject)
          .map((button) => readButton(button, isAuthentication, flows)),
      }
    case 'CAROUSEL':
      return {
        type,
        cards: listOf(wire.cards)
          .filter(isObject)
          .map((card) => ({
            components: readComponents(card.components, '', flows) as Extract<
              Component,
              { type: 'HEADER' | 'BODY' | 'BUTTONS' }
            >[],
          })),
      }
    case 'LIMITED_TIME_OFFER': {
      const offer = isObject(wire.limited_time_offer) ? wire.limited_time_offer : wire
      return { type, text: textOf(offer.text) ?? '', has_expiration: offer.has_expiration === true }
    }
    default:
      return { ...wire, type } as unknown as Component // unknown type: kept unchanged
  }
}

function readHeader(wire: JsonObject): Header {
  const format = (wordOf(wire.format) ?? 'TEXT').toUpperCase()
  const media = MEDIA_FORMATS.find((known) => known === format)
  if (media !== undefined) {
    const handles = listOf(objectOf(wire.example).header_handle)
      .map(wordOf)
      .filter((handle) => handle !== null)
    return {
      type: 'HEADER',
      format: media,
      ...(handles.length === 0 ? {} : { example: { header_handle: handles } }),
    }
  }
  if (format !== 'TEXT') return { type: 'HEADER', format: format as 'LOCATION' }
  const text = textOf(wire.text) ?? ''
  const example = readExample(text, 'header', wire.example)
  return { type: 'HEADER', format, text, ...(example ? { example } : {}) }
}

/** Returns the example values of a text, if it has variables. */
function readExample(
  text: string,
  section: 'header' | 'body',
  example: unknown,
): TextExample | undefined {
  if (variablesOf(text).length === 0) return undefined
  const examples = objectOf(example)
  const named = listOf(examples[`${section}_text_named_params`])
    .filter(isObject)
    .map((param) => ({
      param_name: textOf(param.param_name) ?? '',
      example: textOf(param.example) ?? '',
    }))
  if (named.length > 0)
    return section === 'header'
      ? { header_text_named_params: named }
      : { body_text_named_params: named }
  const list = listOf(examples[`${section}_text`])
  const values = (Array.isArray(list[0]) ? listOf(list[0]) : list).map(
    (value) => textOf(value) ?? '',
  )
  if (values.length === 0) return undefined
  return section === 'header' ? { header_text: values } : { body_text: [values] }
}
