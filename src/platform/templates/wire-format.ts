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
  componentOf,
  MEDIA_FORMATS,
  variablesOf,
  type Button,
  type Component,
  type Header,
  type SupportedApp,
  type TextExample,
} from './components'

/** Maps our Flow IDs to the platform's and back. Unknown IDs stay unchanged. */
export interface FlowIds {
  theirs(flowId: string): string
  ours(platformId: string): string
}

/** Converts stored components to the platform's format (platform documentation 4.3). */
export const wireComponents = (components: readonly Component[], flows: FlowIds): JsonObject[] =>
  components.map((component) => wireComponent(component, flows))

function wireComponent(component: Component, flows: FlowIds): JsonObject {
  switch (component.type) {
    case 'HEADER': {
      if (!('media_id' in component)) return { ...component }
      const { media_id: _ours, ...rest } = component
      return rest
    }
    case 'LIMITED_TIME_OFFER':
      return {
        type: component.type,
        limited_time_offer: { text: component.text, has_expiration: component.has_expiration },
      }
    case 'BUTTONS':
      return {
        type: component.type,
        buttons: component.buttons.map((button) => wireButton(button, flows)),
      }
    case 'CAROUSEL':
      return {
        type: component.type,
        cards: component.cards.map((card) => ({
          components: wireComponents(card.components, flows),
        })),
      }
    default:
      return { ...component }
  }
}

function wireButton(button: Button, flows: FlowIds): JsonObject {
  if (button.type !== 'FLOW') return { ...button }
  const { flow_id: flowId, screen, ...rest } = button
  return {
    ...rest,
    ...(flowId === undefined ? {} : { flow_id: flows.theirs(flowId) }),
    ...(screen === undefined ? {} : { navigate_screen: screen }),
  }
}

/** Converts the platform's components to our format. Unknown components are kept unchanged. */
export function readComponentsOf(wire: unknown, category: string, flows: FlowIds): Component[] {
  const isAuthentication = category.toUpperCase() === 'AUTHENTICATION'
  const read = listOf(wire)
    .filter(isObject)
    .map((component) => readComponent(component, isAuthentication, flows))
  return read.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const ORDER: readonly string[] = [
  'HEADER',
  'LIMITED_TIME_OFFER',
  'BODY',
  'FOOTER',
  'BUTTONS',
  'CAROUSEL',
]
const placeOf = ({ type }: Component): number =>
  ORDER.indexOf(type) < 0 ? ORDER.length : ORDER.indexOf(type)

function readComponent(wire: JsonObject, isAuthentication: boolean, flows: FlowIds): Component {
  const type = (wordOf(wire.type) ?? '').toUpperCase()
  switch (type) {
    case 'HEADER':
      return readHeader(wire)
    case 'BODY': {
      const text = textOf(wire.text)
      const example = text === null ? undefined : exampleIn(text, 'body', wire.example)
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
            components: readComponentsOf(card.components, '', flows) as Extract<
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
  const example = exampleIn(text, 'header', wire.example)
  return { type: 'HEADER', format, text, ...(example ? { example } : {}) }
}

/** Returns the example values of a text, if it has variables. */
function exampleIn(
  text: string,
  place: 'header' | 'body',
  example: unknown,
): TextExample | undefined {
  if (variablesOf(text).length === 0) return undefined
  const given = objectOf(example)
  const named = listOf(given[`${place}_text_named_params`])
    .filter(isObject)
    .map((param) => ({
      param_name: textOf(param.param_name) ?? '',
      example: textOf(param.example) ?? '',
    }))
  if (named.length > 0)
    return place === 'header'
      ? { header_text_named_params: named }
      : { body_text_named_params: named }
  const list = listOf(given[`${place}_text`])
  const values = (Array.isArray(list[0]) ? listOf(list[0]) : list).map(
    (value) => textOf(value) ?? '',
  )
  if (values.length === 0) return undefined
  return place === 'header' ? { header_text: values } : { body_text: [values] }
}

const firstOf = (value: unknown): string | null =>
  textOf(Array.isArray(value) ? listOf(value)[0] : value)

function readButton(wire: JsonObject, isAuthentication: boolean, flows: FlowIds): Button {
  const type = (wordOf(wire.type) ?? '').toUpperCase()
  const text = textOf(wire.text)
  const label = text === null ? {} : { text }
  switch (type) {
    case 'URL': {
      const url = textOf(wire.url) ?? ''
      // The platform reports one-time code buttons as URL buttons with a URL of its own.
      if (isAuthentication)
        return { type: 'OTP', otp_type: otpTypeOf(url, wire), ...label, ...otpFacts(wire) }
      const example = firstOf(wire.example)
      return {
        type,
        text: text ?? '',
        url,
        ...(example === null || variablesOf(url).length === 0 ? {} : { example: [example] }),
      }
    }
    case 'PHONE_NUMBER':
      return {
        type,
        text: text ?? '',
        phone_number: (textOf(wire.phone_number) ?? '').replaceAll(/\D/g, ''),
      }
    case 'COPY_CODE':
      return { type, ...label, example: firstOf(wire.example) ?? '' }
    case 'OTP':
      return {
        type,
        otp_type: (wordOf(wire.otp_type) ?? 'COPY_CODE').toUpperCase(),
        ...label,
        ...otpFacts(wire),
      }
    case 'FLOW': {
      const [id, name, json] = [
        wordOf(wire.flow_id),
        wordOf(wire.flow_name),
        textOf(wire.flow_json),
      ]
      const [action, screen] = [
        wordOf(wire.flow_action)?.toLowerCase(),
        wordOf(wire.navigate_screen) ?? wordOf(wire.screen),
      ]
      return {
        type,
        text: text ?? '',
        ...(id === null ? {} : { flow_id: flows.ours(id) }),
        ...(name === null ? {} : { flow_name: name }),
        ...(json === null ? {} : { flow_json: json }),
        ...(action === undefined ? {} : { flow_action: action }),
        ...(screen === null ? {} : { screen }),
      }
    }
    default: {
      if (
        [
          'QUICK_REPLY',
          'CATALOG',
          'MPM',
          'SPM',
          'VOICE_CALL',
          'CALL_PERMISSION_REQUEST',
          'REQUEST_CONTACT_INFO',
        ].includes(type)
      )
        return { type: type as 'QUICK_REPLY', ...label }
      return { ...wire, type } as unknown as Button // unknown type: kept unchanged
    }
  }
}

const otpTypeOf = (url: string, wire: JsonObject): string =>
  (
    wordOf(wire.otp_type) ??
    (URL.canParse(url) ? new URL(url).searchParams.get('otp_type') : null) ??
    'COPY_CODE'
  ).toUpperCase()

function otpFacts(wire: JsonObject): {
  autofill_text?: string
  supported_apps?: SupportedApp[]
  zero_tap_terms_accepted?: boolean
} {
  const apps = listOf(wire.supported_apps)
    .filter(isObject)
    .map((app) => ({
      package_name: wordOf(app.package_name) ?? '',
      signature_hash: wordOf(app.signature_hash) ?? '',
    }))
  const autofill = textOf(wire.autofill_text)
  return {
    ...(autofill === null ? {} : { autofill_text: autofill }),
    ...(apps.length === 0 ? {} : { supported_apps: apps }),
    ...(wire.zero_tap_terms_accepted === true ? { zero_tap_terms_accepted: true } : {}),
  }
}

/**
 * Normalizes components for comparison: drops fields that vary between responses or are written by
 * the platform. Equal results mean the same template.
 */
export function comparable(
  components: readonly Component[],
  category: string,
  flows: FlowIds,
): Component[] {
  const isAuthentication = category.toUpperCase() === 'AUTHENTICATION'
  return readComponentsOf(wireComponents(components, flows), category, flows).map((component) =>
    bare(component, isAuthentication),
  )
}

function bare(component: Component, isAuthentication: boolean): Component {
  switch (component.type) {
    case 'HEADER': {
      if (!('example' in component) || component.format === 'TEXT') return component
      return { type: component.type, format: component.format }
    }
    case 'BODY':
      return isAuthentication
        ? {
            type: component.type,
            add_security_recommendation: component.add_security_recommendation === true,
          }
        : component
    case 'FOOTER': {
      if (!isAuthentication || component.code_expiration_minutes === undefined) return component
      return { type: component.type, code_expiration_minutes: component.code_expiration_minutes }
    }
    case 'BUTTONS':
      return { type: component.type, buttons: component.buttons.map(bareButton) }
    case 'CAROUSEL':
      return {
        type: component.type,
        cards: component.cards.map((card) => ({
          components: card.components.map((part) => bare(part, false) as typeof part),
        })),
      }
    default:
      return component
  }
}

/** The platform replaces a Flow's inline JSON with an ID, and fills in default labels. */
function bareButton(button: Button): Button {
  if (button.type === 'FLOW') {
    const {
      flow_json: _json,
      flow_id: _id,
      flow_name: _name,
      flow_action: _action,
      ...rest
    } = button
    return rest
  }
  if (button.type === 'OTP' || button.type === 'COPY_CODE') {
    const { text: _text, ...rest } = button
    return rest as Button
  }
  return button
}

/** Merges the platform's components with the header files that only we know. */
export const withOurFiles = (
  theirs: readonly Component[],
  ours: readonly Component[],
): Component[] =>
  theirs.map((component) => {
    if (component.type === 'HEADER') return ownHeader(component, componentOf(ours, 'HEADER'))
    if (component.type !== 'CAROUSEL') return component
    const own = componentOf(ours, 'CAROUSEL')?.cards ?? []
    return {
      ...component,
      cards: component.cards.map((card, index) => ({
        components: withOurFiles(
          card.components,
          own[index]?.components ?? [],
        ) as typeof card.components,
      })),
    }
  })

const ownHeader = (theirs: Header, ours: Header | undefined): Header =>
  ours !== undefined && ours.format === theirs.format && ours.format !== 'TEXT' ? ours : theirs
