import type { Failure } from './errors'
import { isObject } from './rules'

const variables = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name)),
]
const chars = (text: string): number => [...text].length
/** Returns a text in upper case, and an empty text for any other value. */
export const upper = (value: unknown): string =>
  typeof value === 'string' ? value.toUpperCase() : ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const parts = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []

const BUTTONS =
  'QUICK_REPLY URL PHONE_NUMBER COPY_CODE FLOW OTP CATALOG MPM SPM VOICE_CALL CALL_PERMISSION_REQUEST REQUEST_CONTACT_INFO'.split(
    ' ',
  )

const bad = (subcode: number, details: string): Failure => ({
  code: 100,
  subcode,
  message: 'Invalid parameter',
  details,
})

/**
 * Returns why the platform rejects a template (platform document 4.2, 4.3), or undefined. `handles`
 * are those of finished uploads.
 */
export function templateProblem(
  body: Record<string, unknown>,
  handles: ReadonlySet<string>,
): Failure | undefined {
  if (!/^[a-z0-9_]{1,512}$/.test(textOf(body['name'])))
    return bad(2_388_044, 'name: only lower-case letters, digits and underscores')
  if (!/^[a-z]{2,3}([_-][A-Za-z]{2})?$/.test(textOf(body['language'])))
    return bad(2_388_045, 'language: unknown locale')
  const category = upper(body['category'])
  if (!['AUTHENTICATION', 'MARKETING', 'UTILITY'].includes(category))
    return bad(2_388_046, 'category: unknown')
  const components = parts(body['components'])
  if (components.length === 0) return bad(2_388_072, 'components: at least a body is needed')
  const context = {
    category,
    isNamed: upper(body['parameter_format']) === 'NAMED',
    handles,
    isCard: false,
  }
  return (
    first(components.map((component) => () => componentProblem(component, context))) ??
    together(components, category)
  )
}

type Context = { category: string; isNamed: boolean; handles: ReadonlySet<string>; isCard: boolean }

function first(checks: (() => Failure | undefined)[]): Failure | undefined {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}

function together(components: Record<string, unknown>[], category: string): Failure | undefined {
  const types = components.map(({ type }) => upper(type))
  if (new Set(types).size < types.length) return bad(2_388_072, 'components: each type once')
  if (!types.includes('BODY')) return bad(2_388_072, 'components: a body is needed')
  if (types.includes('LIMITED_TIME_OFFER') && category !== 'MARKETING')
    return bad(2_388_072, 'limited_time_offer: marketing only')
  return undefined
}

function componentProblem(
  component: Record<string, unknown>,
  context: Context,
): Failure | undefined {
  const { category, isCard } = context
  switch (upper(component['type'])) {
    case 'HEADER':
      return headerProblem(component, context)
    case 'BODY': {
      if (category === 'AUTHENTICATION' && !isCard)
        return component['text'] === undefined
          ? undefined
          : bad(2_388_072, 'body: the text is fixed')
      const text = textOf(component['text'])
      if (text.trim() === '') return bad(2_388_072, 'body: text is needed')
      if (chars(text) > (isCard ? 160 : 1_024)) return bad(2_388_040, 'body: too long')
      if (/^\s*\{\{|\}\}\s*$/.test(text))
        return bad(2_388_299, 'Variables can not be at the start or end of the template')
      const count = variables(text).length
      const words = text
        .replaceAll(/\{\{[^{}]*\}\}/g, ' ')
        .split(/[^\p{L}\p{N}']+/u)
        .filter((word) => word !== '').length
      if (count > 0 && words < 2 * count + 1)
        return bad(2_388_293, 'This template has too many variables for its length')
      return exampleProblem(text, component['example'], 'body', context)
    }
    case 'FOOTER': {
      if (category === 'AUTHENTICATION')
        return component['text'] === undefined
          ? undefined
          : bad(2_388_072, 'footer: the text is fixed')
      const text = textOf(component['text'])
      return text.trim() === '' || chars(text) > 60 || variables(text).length > 0
        ? bad(2_388_073, 'footer: malformed')
        : undefined
    }
    case 'BUTTONS':
      return buttonsProblem(parts(component['buttons']), context)
    case 'CAROUSEL': {
      const cards = parts(component['cards'])
      if (cards.length < 2 || cards.length > 10) return bad(2_388_072, 'carousel: 2 to 10 cards')
      return first(
        cards.flatMap((card) =>
          parts(card['components']).map(
            (part) => () => componentProblem(part, { ...context, isCard: true }),
          ),
        ),
      )
    }
    case 'LIMITED_TIME_OFFER': {
      const offer = component['limited_time_offer']
      return isObject(offer) && chars(textOf(offer['text'])) <= 16 && textOf(offer['text']) !== ''
        ? undefined
        : bad(2_388_072, 'limited_time_offer: malformed')
    }
    default:
      return {
        code: 100,
        message: `(#100) Param components has an unknown type ${String(component['type'])}`,
      }
  }
}

function headerProblem(component: Record<string, unknown>, context: Context): Failure | undefined {
  const unknownKey = Object.keys(component).find(
    (key) => !['type', 'format', 'text', 'example'].includes(key),
  )
  if (unknownKey !== undefined)
    return { code: 100, message: `(#100) Unexpected key "${unknownKey}" on param "components".` }
  const format = upper(component['format'])
  if (format === 'LOCATION' || format === 'PRODUCT') return undefined
  if (format === 'TEXT') {
    const text = textOf(component['text'])
    if (text.trim() === '' || chars(text) > 60 || variables(text).length > 1)
      return bad(2_388_047, 'header: malformed')
    return exampleProblem(text, component['example'], 'header', context)
  }
  if (!['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'].includes(format))
    return bad(2_388_047, 'header: unknown format')
  const { example } = component
  const handles =
    isObject(example) && Array.isArray(example['header_handle']) ? example['header_handle'] : []
  if (handles.length === 0) return bad(2_388_273, 'header: an example is needed')
  return handles.every((handle) => typeof handle === 'string' && context.handles.has(handle))
    ? undefined
    : bad(2_388_273, 'header: unknown handle')
}

/** Checks that every variable has an example in the form of its kind (platform document 4.2). */
function exampleProblem(
  text: string,
  example: unknown,
  place: 'header' | 'body',
  { isNamed }: Context,
): Failure | undefined {
  const names = variables(text)
  if (names.length === 0) return undefined
  const given = isObject(example) ? example : {}
  if (isNamed) {
    if (names.some((name) => !/^[a-z_][a-z0-9_]*$/.test(name)))
      return bad(2_388_072, `${place}: names of variables are lower case`)
    const named = parts(given[`${place}_text_named_params`])
    const isThere = (name: string): boolean =>
      named.some((param) => param['param_name'] === name && textOf(param['example']) !== '')
    return names.every(isThere) && named.length === names.length
      ? undefined
      : bad(2_388_072, `${place}: an example of each variable is needed`)
  }
  const numbers = names.map(Number).toSorted((a, b) => a - b)
  if (numbers.some((number, index) => number !== index + 1))
    return bad(2_388_072, `${place}: variables are numbered from 1 without gaps`)
  const list = given[`${place}_text`]
  const values = Array.isArray(list) ? (place === 'body' ? list[0] : list) : []
  const isWhole =
    Array.isArray(values) &&
    values.length === names.length &&
    values.every((value) => textOf(value) !== '')
  return isWhole ? undefined : bad(2_388_072, `${place}: an example of each variable is needed`)
}

function buttonsProblem(
  buttons: Record<string, unknown>[],
  { category }: Context,
): Failure | undefined {
  if (buttons.length < 1 || buttons.length > 10) return bad(2_388_072, 'buttons: 1 to 10')
  const types = buttons.map(({ type }) => upper(type))
  const odd = types.find((type) => !BUTTONS.includes(type))
  if (odd !== undefined) return bad(2_388_072, `buttons: unknown type ${odd}`)
  if (types.filter((type) => type === 'URL').length > 2)
    return bad(2_388_072, 'buttons: two addresses at most')
  for (const type of ['PHONE_NUMBER', 'COPY_CODE', 'OTP', 'CATALOG', 'MPM', 'FLOW'])
    if (types.filter((known) => known === type).length > 1)
      return bad(2_388_072, `buttons: one ${type} at most`)
  const replies = types.map((type) => type === 'QUICK_REPLY')
  if (
    replies.includes(true) &&
    replies.slice(replies.indexOf(true), replies.lastIndexOf(true)).includes(false)
  )
    return bad(2_388_072, 'buttons: quick replies must be grouped together')
  if (types.includes('OTP') !== (category === 'AUTHENTICATION'))
    return bad(2_388_072, 'buttons: OTP goes with authentication')
  return first(buttons.map((button) => () => buttonProblem(button)))
}

function buttonProblem(button: Record<string, unknown>): Failure | undefined {
  const text = textOf(button['text'])
  const type = upper(button['type'])
  if (
    chars(text) > 25 ||
    (text === '' && ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'FLOW'].includes(type))
  )
    return bad(2_388_072, 'buttons: text of 1 to 25 characters')
  switch (type) {
    case 'URL': {
      const url = textOf(button['url'])
      if (!/^https?:\/\//.test(url) || url.length > 2_000 || !/^[^{}]*(\{\{1\}\})?$/.test(url))
        return bad(2_388_072, 'buttons: malformed url')
      const hasExample = Array.isArray(button['example']) && textOf(button['example'][0]) !== ''
      return url.endsWith('{{1}}') && !hasExample
        ? bad(2_388_072, 'buttons: an example of the url is needed')
        : undefined
    }
    case 'PHONE_NUMBER':
      return /^\+?\d{5,20}$/.test(textOf(button['phone_number']))
        ? undefined
        : bad(2_388_072, 'buttons: malformed phone number')
    case 'COPY_CODE':
      return textOf(button['example']) !== '' && chars(textOf(button['example'])) <= 15
        ? undefined
        : bad(2_388_072, 'buttons: example of the code')
    case 'FLOW':
      return ['flow_id', 'flow_name', 'flow_json'].some((key) => textOf(button[key]) !== '')
        ? undefined
        : bad(2_388_072, 'buttons: no flow')
    case 'OTP':
      return ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(upper(button['otp_type']))
        ? undefined
        : bad(2_388_072, 'buttons: otp_type')
    default:
      return undefined
  }
}
