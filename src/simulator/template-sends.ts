import { isObject } from './rules'
import type { Problem } from './rules'
import type { StoredTemplate } from './template-store'

type Part = Record<string, unknown>

const variables = (text: unknown): string[] =>
  typeof text === 'string'
    ? [...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name))]
    : []
const upper = (value: unknown): string => (typeof value === 'string' ? value.toUpperCase() : '')
const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')
const list = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isObject) : [])
const stored = (components: Part[], type: string): Part | undefined =>
  components.find((component) => upper(component['type']) === type)

const mismatch = (details: string): Problem => ({ code: 132_012, details })
const count = (place: string, given: number, wanted: number): Problem => ({
  code: 132_000,
  details: `${place}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`,
})

/**
 * Checks a message against the stored template: state, and counts, kinds and names of parameters
 * (132000-132018).
 */
export function checkAgainstTemplate(
  sent: unknown,
  template: StoredTemplate | undefined,
  named: string,
): Problem | undefined {
  if (template === undefined)
    return { code: 132_001, details: `template name (${named}) does not exist in the translation` }
  if (template.status === 'PAUSED')
    return { code: 132_015, details: `template (${named}) is paused due to low quality` }
  if (template.status === 'DISABLED')
    return { code: 132_016, details: `template (${named}) is disabled` }
  if (!['APPROVED', 'FLAGGED', 'REINSTATED'].includes(template.status))
    return { code: 132_001, details: `template (${named}) is not approved` }
  const parts = isObject(sent) ? list(sent['components']) : []
  const isAuthentication = template.category === 'AUTHENTICATION'
  const isNamed = template.parameterFormat === 'NAMED'
  return (
    componentsProblem(parts, template.components, { isNamed, isAuthentication }) ??
    carouselProblem(parts, template, isNamed) ??
    offerProblem(parts, template)
  )
}

type Kind = { isNamed: boolean; isAuthentication: boolean }

function componentsProblem(parts: Part[], components: Part[], kind: Kind): Problem | undefined {
  const sent = (type: string): Part[] =>
    list(parts.find((part) => lower(part['type']) === type)?.['parameters'])
  const body = stored(components, 'BODY')?.['text']
  const own = kind.isAuthentication
    ? oneCode(sent('body'))
    : textProblem('body', sent('body'), body, kind.isNamed, 1_024)
  return (
    own ??
    headerProblem(sent('header'), stored(components, 'HEADER'), kind.isNamed) ??
    buttonsProblem(parts, components, kind)
  )
}

function oneCode(given: Part[]): Problem | undefined {
  if (given.length !== 1) return count('body', given.length, 1)
  const code = given[0]?.['text']
  return typeof code === 'string' && code.length >= 1 && code.length <= 15
    ? undefined
    : mismatch('body: a code of at most 15 characters')
}

function textProblem(
  place: string,
  given: Part[],
  text: unknown,
  isNamed: boolean,
  most: number,
): Problem | undefined {
  const wanted = variables(text)
  if (given.length !== wanted.length) return count(place, given.length, wanted.length)
  for (const parameter of given) {
    const value = parameter['text']
    if (typeof value === 'string' && /[\n\r\t]| {5,}/.test(value))
      return {
        code: 132_018,
        details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
      }
    if (typeof value === 'string' && value.trim() === '')
      return { code: 131_008, details: `${place}: parameter text is missing` }
    if (isNamed !== (typeof parameter['parameter_name'] === 'string'))
      return mismatch(`${place}: parameter_name ${isNamed ? 'is missing' : 'is not expected'}`)
  }
  const missing = isNamed
    ? wanted.find((name) => !given.some((parameter) => parameter['parameter_name'] === name))
    : undefined
  if (missing !== undefined) return mismatch(`${place}: parameter ${missing} is missing`)
  const filled = wanted.reduce(
    (words, name, index) => {
      const ordered = isNamed
        ? given.find((parameter) => parameter['parameter_name'] === name)
        : given[Number(name) - 1 || index]
      return words.replaceAll(`{{${name}}}`, shown(ordered))
    },
    typeof text === 'string' ? text : '',
  )
  return wanted.length > 0 && [...filled].length > most
    ? { code: 132_005, details: `${place}: hydrated text is too long` }
    : undefined
}

function shown(parameter: Part | undefined): string {
  const rich = parameter?.['currency'] ?? parameter?.['date_time']
  return String(isObject(rich) ? rich['fallback_value'] : (parameter?.['text'] ?? ''))
}

function headerProblem(
  given: Part[],
  header: Part | undefined,
  isNamed: boolean,
): Problem | undefined {
  const format = upper(header?.['format'])
  if (format === 'TEXT' || header === undefined) {
    const hasNames = isNamed && variables(header?.['text']).some((name) => !/^\d+$/.test(name))
    return textProblem('header', given, header?.['text'], hasNames, 60)
  }
  const wanted = format === 'GIF' ? 'video' : lower(format)
  const [only] = given
  if (given.length !== 1 || lower(only?.['type']) !== wanted)
    return mismatch(
      `header: Format mismatch, expected ${format}, received ${upper(only?.['type']) || 'UNKNOWN'}`,
    )
  const file = only?.[wanted]
  if (wanted === 'document' && !(isObject(file) && typeof file['filename'] === 'string'))
    return mismatch('header: filename is missing')
  return undefined
}

/** Returns the parameters of each button; `true` means one is required. */
function requiredParameters(
  button: Part,
  { isAuthentication }: Kind,
): { subType: string; type: string; needed: boolean } | undefined {
  switch (upper(button['type'])) {
    case 'URL':
      return variables(button['url']).length > 0
        ? { subType: 'url', type: 'text', needed: true }
        : undefined
    case 'OTP':
      return isAuthentication ? { subType: 'url', type: 'text', needed: true } : undefined
    case 'COPY_CODE':
      return { subType: 'copy_code', type: 'coupon_code', needed: true }
    case 'MPM':
      return { subType: 'mpm', type: 'action', needed: true }
    case 'QUICK_REPLY':
      return { subType: 'quick_reply', type: 'payload', needed: false }
    case 'FLOW':
      return { subType: 'flow', type: 'action', needed: false }
    case 'CATALOG':
      return { subType: 'catalog', type: 'action', needed: false }
    case 'VOICE_CALL':
      return { subType: 'voice_call', type: 'payload', needed: false }
    default:
      return undefined
  }
}

function buttonsProblem(parts: Part[], components: Part[], kind: Kind): Problem | undefined {
  const buttons = list(stored(components, 'BUTTONS')?.['buttons'])
  const sent = parts.filter((part) => lower(part['type']) === 'button')
  for (const part of sent) {
    const index = Number(part['index'])
    const wanted = buttons[index] && requiredParameters(buttons[index], kind)
    if (wanted === undefined || lower(part['sub_type']) !== wanted.subType)
      return mismatch(`buttons: button at index ${index} does not take ${String(part['sub_type'])}`)
    const types = list(part['parameters']).map(({ type }) => lower(type))
    const isGood =
      types.length > 0 &&
      types.every(
        (type) =>
          type === wanted.type ||
          (wanted.subType === 'voice_call' && type === 'ttl_minutes') ||
          (wanted.subType === 'quick_reply' && type === 'text'),
      )
    if (!isGood)
      return mismatch(`buttons: button at index ${index} takes a parameter of type ${wanted.type}`)
  }
  const missing = buttons.findIndex(
    (button, index) =>
      requiredParameters(button, kind)?.needed === true &&
      !sent.some((part) => Number(part['index']) === index),
  )
  return missing < 0
    ? undefined
    : {
        code: 131_008,
        details: `buttons: Button at index ${missing} of type ${upper(buttons[missing]?.['type'])} requires a parameter`,
      }
}

function carouselProblem(
  parts: Part[],
  template: StoredTemplate,
  isNamed: boolean,
): Problem | undefined {
  const cards = list(stored(template.components, 'CAROUSEL')?.['cards'])
  const sent = list(parts.find((part) => lower(part['type']) === 'carousel')?.['cards'])
  if (sent.length !== cards.length)
    return mismatch(`carousel: ${sent.length} cards, expected ${cards.length}`)
  for (const [index, card] of cards.entries()) {
    const own = sent.find((part) => Number(part['card_index']) === index)
    if (own === undefined) return mismatch(`carousel: card ${index} is missing`)
    const problem = componentsProblem(list(own['components']), list(card['components']), {
      isNamed,
      isAuthentication: false,
    })
    if (problem !== undefined) return problem
  }
  return undefined
}

function offerProblem(parts: Part[], template: StoredTemplate): Problem | undefined {
  const offer = stored(template.components, 'LIMITED_TIME_OFFER')?.['limited_time_offer']
  const wanted = isObject(offer) && offer['has_expiration'] === true
  const sent = parts.some((part) => lower(part['type']) === 'limited_time_offer')
  return wanted === sent
    ? undefined
    : mismatch(`limited_time_offer: ${wanted ? 'is missing' : 'is not expected'}`)
}
