/**
 * How the variables of a template are written: `{{1}}`, `{{2}}`, … or `{{lower_case_name}}`
 * (platform documentation 4.2).
 */
export type ParameterFormat = 'positional' | 'named'

/** An example of a named variable. */
export interface NamedExample {
  param_name: string
  example: string
}

/** Examples of the variables of a text, as the platform takes them. */
export interface TextExample {
  header_text?: string[]
  header_text_named_params?: NamedExample[]
  body_text?: string[][]
  body_text_named_params?: NamedExample[]
}

/** The kinds of headers that carry a file. */
export const MEDIA_FORMATS = ['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'] as const
export type MediaFormat = (typeof MEDIA_FORMATS)[number]

/**
 * A header. `media_id` names a file of ours: the sample, and what is sent unless something else is
 * asked for.
 */
export type Header =
  | { type: 'HEADER'; format: 'TEXT'; text: string; example?: TextExample }
  | {
      type: 'HEADER'
      format: MediaFormat
      example?: { header_handle: string[] }
      media_id?: string
    }
  | { type: 'HEADER'; format: 'LOCATION' | 'PRODUCT' }

/** The text of a template; of authentication templates the platform writes it. */
export interface Body {
  type: 'BODY'
  text?: string
  example?: TextExample
  add_security_recommendation?: boolean
}

/** The small words below the text; of authentication templates the platform writes them. */
export interface Footer {
  type: 'FOOTER'
  text?: string
  code_expiration_minutes?: number
}

/** An app that may take a code by itself. */
export interface SupportedApp {
  package_name: string
  signature_hash: string
}

/** A button. `flow_id` is our id of a flow, or the platform's where we do not know it. */
export type Button =
  | {
      type:
        | 'QUICK_REPLY'
        | 'CATALOG'
        | 'MPM'
        | 'SPM'
        | 'VOICE_CALL'
        | 'CALL_PERMISSION_REQUEST'
        | 'REQUEST_CONTACT_INFO'
      text?: string
    }
  | { type: 'URL'; text: string; url: string; example?: string[] }
  | { type: 'PHONE_NUMBER'; text: string; phone_number: string }
  | { type: 'COPY_CODE'; text?: string; example: string }
  | {
      type: 'FLOW'
      text: string
      flow_id?: string
      flow_name?: string
      flow_json?: string
      flow_action?: string
      screen?: string
    }
  | {
      type: 'OTP'
      otp_type: string
      text?: string
      autofill_text?: string
      supported_apps?: SupportedApp[]
      zero_tap_terms_accepted?: boolean
    }

/** The words below a message that can be tapped. */
export interface Buttons {
  type: 'BUTTONS'
  buttons: Button[]
}

/** A card of a carousel. */
export interface Card {
  components: (Header | Body | Buttons)[]
}

/** Cards beside each other. */
export interface Carousel {
  type: 'CAROUSEL'
  cards: Card[]
}

/** An offer that ends. */
export interface Offer {
  type: 'LIMITED_TIME_OFFER'
  text: string
  has_expiration: boolean
}

/** A part of a template as it is kept here: types in upper case, examples inside. */
export type Component = Header | Body | Footer | Buttons | Carousel | Offer

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** The variables of a text in the order they stand in, without repeats. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name)),
]

/** How the variables in the texts of a template are written; `null` where it has none. */
export function formatOf(components: readonly Component[]): ParameterFormat | null {
  const names = components.flatMap(namesIn)
  if (names.length === 0) return null
  return names.every((name) => /^\d+$/.test(name)) ? 'positional' : 'named'
}

function namesIn(component: Component): string[] {
  if (component.type === 'CAROUSEL')
    return component.cards.flatMap((card) => card.components.flatMap(namesIn))
  return (component.type === 'HEADER' || component.type === 'BODY') && 'text' in component
    ? variablesOf(component.text ?? '')
    : []
}

/** The text with each variable replaced; one that `valueOf` knows nothing of stays. */
export const fillText = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replace(VARIABLE, (written, name: string) => valueOf(name) ?? written)

/** The text with variables in their plain spelling: `{{ 1 }}` becomes `{{1}}`. */
export const plainVariables = (text: string): string =>
  text.replace(VARIABLE, (_written, name: string) => `{{${name}}}`)

/** The first component of a type. */
export const componentOf = <T extends Component['type']>(
  components: readonly Component[],
  type: T,
): Extract<Component, { type: T }> | undefined =>
  components.find(
    (component): component is Extract<Component, { type: T }> => component.type === type,
  )

/** The kind of file a header carries; `null` of any other header. */
export const mediaFormatOf = (header: Header | undefined): MediaFormat | null =>
  MEDIA_FORMATS.find((format) => format === header?.format) ?? null

/** As what a file in a header is sent. */
export const headerKind = (format: MediaFormat): 'image' | 'video' | 'document' =>
  format === 'IMAGE' ? 'image' : format === 'DOCUMENT' ? 'document' : 'video'
