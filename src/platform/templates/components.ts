/**
 * Notation of template variables: `{{1}}`, `{{2}}`, … or `{{lower_case_name}}` (platform
 * documentation 4.2).
 */
export type ParameterFormat = 'positional' | 'named'

/** Example value of a named variable. */
export interface NamedExample {
  param_name: string
  example: string
}

/** Example values of a text's variables, in the platform's format. */
export interface TextExample {
  header_text?: string[]
  header_text_named_params?: NamedExample[]
  body_text?: string[][]
  body_text_named_params?: NamedExample[]
}

/** Header formats with a file. */
export const MEDIA_FORMATS = ['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'] as const
export type MediaFormat = (typeof MEDIA_FORMATS)[number]

/**
 * A header. `media_id` is a stored file: the sample for review, and the default file when sending.
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

/** The body text. The platform writes that of authentication templates. */
export interface Body {
  type: 'BODY'
  text?: string
  example?: TextExample
  add_security_recommendation?: boolean
}

/** The footer. The platform writes that of authentication templates. */
export interface Footer {
  type: 'FOOTER'
  text?: string
  code_expiration_minutes?: number
}

/** An app that may autofill a one-time code. */
export interface SupportedApp {
  package_name: string
  signature_hash: string
}

/** A button. `flow_id` is our Flow ID, or the platform's if the Flow is unknown here. */
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

/** The buttons of a template. */
export interface Buttons {
  type: 'BUTTONS'
  buttons: Button[]
}

/** A carousel card. */
export interface Card {
  components: (Header | Body | Buttons)[]
}

/** A carousel of cards. */
export interface Carousel {
  type: 'CAROUSEL'
  cards: Card[]
}

/** A limited-time offer. */
export interface Offer {
  type: 'LIMITED_TIME_OFFER'
  text: string
  has_expiration: boolean
}

/** A template component as stored: types in upper case, examples included. */
export type Component = Header | Body | Footer | Buttons | Carousel | Offer

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** Returns the variables of a text in order of appearance, without duplicates. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name)),
]

/** Returns the variable notation of a template, or `null` without variables. */
export function parameterFormatOf(components: readonly Component[]): ParameterFormat | null {
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

/** Replaces the variables of a text. Variables without a value stay. */
export const fillText = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replace(VARIABLE, (placeholder, name: string) => valueOf(name) ?? placeholder)

/** Normalizes the notation of variables: `{{ 1 }}` becomes `{{1}}`. */
export const normalizeVariables = (text: string): string =>
  text.replace(VARIABLE, (_written, name: string) => `{{${name}}}`)

/** Returns the first component of a type. */
export const componentOf = <T extends Component['type']>(
  components: readonly Component[],
  type: T,
): Extract<Component, { type: T }> | undefined =>
  components.find(
    (component): component is Extract<Component, { type: T }> => component.type === type,
  )

/** Returns the media format of a header, or `null`. */
export const mediaFormatOf = (header: Header | undefined): MediaFormat | null =>
  MEDIA_FORMATS.find((format) => format === header?.format) ?? null

/** Returns the message type in which a header file is sent. */
export const headerKind = (format: MediaFormat): 'image' | 'video' | 'document' =>
  format === 'IMAGE' ? 'image' : format === 'DOCUMENT' ? 'document' : 'video'
