import { mediaRule } from './media-rules'
import {
  anyObject,
  fields,
  invalid,
  isObject,
  list,
  malformed,
  missing,
  numeric,
  oneOf,
  someText,
  text,
} from './rules'
import type { Problem, Rule } from './rules'

/** A template in the registry, approved or not. Without a registry every name is accepted. */
export type KnownTemplate = {
  name: string
  language: string
  /**
   * Defaults to APPROVED. PAUSED and DISABLED have errors of their own; any other status counts as
   * missing.
   */
  status?: string
  category?: string
  /** Number of positional body parameters, or names of named ones. Defaults to none. */
  body?: number | string[]
  /** Format of the header, if it takes a parameter. */
  header?: 'text' | 'image' | 'video' | 'document' | 'location'
}

/** Text parameters are booleans or numbers in some published examples. */
const scalar: Rule = (value, at) =>
  ['string', 'number', 'boolean'].includes(typeof value)
    ? undefined
    : malformed(at, 'must be a string')

const place = fields({
  required: { latitude: numeric(-90, 90), longitude: numeric(-180, 180) },
  optional: { name: someText, address: someText },
})

/** Rule of each parameter type for the member named after the type. */
const PARAMETER_RULES: Readonly<Record<string, Rule>> = {
  text: scalar,
  payload: text(256),
  currency: fields({
    required: {
      fallback_value: someText,
      code: text(3, { min: 3 }),
      amount_1000: numeric(-1e15, 1e15),
    },
  }),
  date_time: fields({ required: { fallback_value: someText }, open: true }),
  image: mediaRule('image'),
  video: mediaRule('video'),
  gif: mediaRule('video'),
  document: mediaRule('document'),
  location: place,
  action: anyObject,
  coupon_code: text(15),
  limited_time_offer: fields({
    required: { expiration_time_ms: numeric(0, 1e15, { whole: true }) },
  }),
  product: fields({ open: true }),
  order_status: anyObject,
  tap_target_configuration: list(anyObject, 1, 1),
  ttl_minutes: numeric(1, 43_200, { whole: true }),
}

const parameter: Rule = (value, at) => {
  const problem = fields({ required: { type: someText }, open: true })(value, at)
  if (problem !== undefined || !isObject(value)) return problem
  const kind = String(value['type']).toLowerCase()
  const rule = PARAMETER_RULES[kind]
  if (rule === undefined)
    return invalid(`${at}['type']`, `must be one of {${Object.keys(PARAMETER_RULES).join(', ')}}`)
  return value[kind] === undefined
    ? missing(`${at}['${kind}']`)
    : rule(value[kind], `${at}['${kind}']`)
}

const parameters = list(parameter, 0, 100)
const SUB_TYPES = [
  'quick_reply',
  'url',
  'flow',
  'catalog',
  'mpm',
  'spm',
  'copy_code',
  'voice_call',
  'order_details',
  'otp',
  'reminder',
]

const button = fields({
  required: {
    type: someText,
    sub_type: oneOf(...SUB_TYPES),
    index: numeric(0, 9, { whole: true }),
  },
  optional: { parameters },
})

const plain = fields({ required: { type: someText }, optional: { parameters } })

const card = fields({
  required: {
    card_index: numeric(0, 9, { whole: true }),
    components: list(
      (value, at) => componentOf(value, at, { header: plain, body: plain, button }),
      1,
      10,
    ),
  },
})

const COMPONENTS: Readonly<Record<string, Rule>> = {
  header: plain,
  body: plain,
  footer: plain,
  limited_time_offer: plain,
  order_status: plain,
  tap_target_configuration: plain,
  button,
  carousel: fields({ required: { type: someText, cards: list(card, 1, 10) } }),
}

function componentOf(
  value: unknown,
  at: string,
  kinds: Readonly<Record<string, Rule>>,
): Problem | undefined {
  if (!isObject(value)) return malformed(at, 'must be an object')
  if (value['type'] === undefined) return missing(`${at}['type']`)
  const { type } = value
  const rule = typeof type === 'string' ? kinds[type.toLowerCase()] : undefined
  return rule === undefined
    ? invalid(`${at}['type']`, `must be one of {${Object.keys(kinds).join(', ')}}`)
    : rule(value, at)
}

/**
 * The `template` member of a message: name, language and component parameters (platform document
 * 2.2).
 */
export const template: Rule = fields({
  required: {
    name: text(512),
    language: fields({
      required: { code: someText },
      optional: { policy: oneOf('deterministic') },
    }),
  },
  optional: {
    namespace: someText,
    components: list((value, at) => componentOf(value, at, COMPONENTS), 0, 20),
  },
})

const sameLanguage = (a: string, b: string): boolean =>
  a.replaceAll('-', '_').toLowerCase() === b.replaceAll('-', '_').toLowerCase()

type Sent = { name: string; language: string; components: Record<string, unknown>[] }

/** Reads the template of a message. */
export function readSentTemplate(value: unknown): Sent {
  const part = isObject(value) ? value : {}
  const language = isObject(part['language']) ? String(part['language']['code']) : ''
  const components = Array.isArray(part['components']) ? part['components'].filter(isObject) : []
  return { name: String(part['name']), language, components }
}

function parametersOf(sent: Sent, type: string): Record<string, unknown>[] {
  const component = sent.components.find((item) => String(item['type']).toLowerCase() === type)
  return Array.isArray(component?.['parameters']) ? component['parameters'].filter(isObject) : []
}

/** Checks a sent template against the registry: 132001, 132015, 132016, 132000, 132012, 132018. */
export function checkAgainstRegistry(
  value: unknown,
  registry: readonly KnownTemplate[],
): Problem | undefined {
  const sent = readSentTemplate(value)
  const known = registry.find(
    (item) => item.name === sent.name && sameLanguage(item.language, sent.language),
  )
  if (known === undefined)
    return {
      code: 132001,
      details: `template name (${sent.name}) does not exist in ${sent.language}`,
    }
  const status = (known.status ?? 'APPROVED').toUpperCase()
  if (status === 'PAUSED')
    return { code: 132015, details: `template (${sent.name}) is paused due to low quality` }
  if (status === 'DISABLED') return { code: 132016, details: `template (${sent.name}) is disabled` }
  if (!['APPROVED', 'FLAGGED', 'REINSTATED'].includes(status)) {
    return {
      code: 132001,
      details: `template name (${sent.name}) does not exist in ${sent.language}: not approved`,
    }
  }
  return bodyProblem(sent, known) ?? headerProblem(sent, known)
}

function bodyProblem(sent: Sent, known: KnownTemplate): Problem | undefined {
  const given = parametersOf(sent, 'body')
  const wanted = Array.isArray(known.body) ? known.body.length : (known.body ?? 0)
  if (given.length !== wanted) {
    return {
      code: 132000,
      details: `body: number of localizable_params (${given.length}) does not match the expected number of params (${wanted})`,
    }
  }
  for (const name of Array.isArray(known.body) ? known.body : []) {
    if (!given.some((item) => item['parameter_name'] === name))
      return { code: 132012, details: `body: parameter ${name} is missing` }
  }
  const bad = given.find(
    (item) => typeof item['text'] === 'string' && /[\n\t]| {5,}/.test(item['text']),
  )
  return bad === undefined
    ? undefined
    : {
        code: 132018,
        details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
      }
}

function headerProblem(sent: Sent, known: KnownTemplate): Problem | undefined {
  const given = parametersOf(sent, 'header')[0]
  const format = given === undefined ? undefined : String(given['type']).toLowerCase()
  if (format === known.header) return undefined
  return {
    code: 132012,
    details: `header: Format mismatch, expected ${known.header ?? 'UNKNOWN'}, received ${format ?? 'UNKNOWN'}`,
  }
}
