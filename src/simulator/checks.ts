import { refusal } from './errors'
import type { Refusal } from './errors'
import { interactive } from './interactive'
import { fileProblem, mediaRule } from './media-rules'
import {
  all,
  fields,
  flag,
  invalid,
  isObject,
  isPlaceholder,
  link,
  list,
  malformed,
  missing,
  numeric,
  oneOf,
  someText,
  text,
} from './rules'
import type { Problem, Rule } from './rules'
import type { StoredTemplate } from './template-store'
import { checkAgainstTemplate } from './template-sends'
import { checkAgainstRegistry, readSentTemplate, template } from './templates'
import type { KnownTemplate } from './templates'

/** Recipient of a message, as the caller wrote it. */
export type Recipient = { kind: 'number' | 'group' | 'user'; input: string }

/** A valid body: a message, or a read receipt with or without typing indicator. */
export type Accepted =
  | {
      kind: 'message'
      type: string
      recipient: Recipient
      callbackData: string | undefined
      category: string | undefined
    }
  | { kind: 'read'; messageId: string; typing: boolean }

/** Facts about the sending number that the checks need. */
export type CheckContext = {
  senderDigits: string
  templates?: readonly KnownTemplate[] | undefined
  /** The stored templates. With `isStrict` no others are accepted. */
  keptTemplates?:
    | { find: (name: string, language: string) => StoredTemplate | undefined; isStrict: boolean }
    | undefined
  /** Returns the MIME type of an uploaded file. Without it, every media ID is accepted. */
  mimeOf?: ((id: string) => string | undefined) | undefined
}

const BSUID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/
const GROUP_ID = /^[A-Za-z0-9+/=_-]{5,200}$/

const names = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix']

/** A name requires its formatted form and at least one part (platform document 2.2). */
const contactName: Rule = all(
  fields({
    required: { formatted_name: someText },
    optional: Object.fromEntries(names.map((name) => [name, someText])),
  }),
  (value, at) =>
    isObject(value) && names.some((name) => value[name] !== undefined)
      ? undefined
      : missing(`${at}['first_name']`),
)

const open = fields({ open: true })
const contact = fields({
  required: { name: contactName },
  optional: {
    phones: list(fields({ optional: { phone: someText, type: someText, wa_id: someText } }), 0, 50),
    emails: list(fields({ optional: { email: someText, type: someText } }), 0, 50),
    urls: list(fields({ optional: { url: someText, type: someText } }), 0, 50),
    addresses: list(open, 0, 50),
    org: fields({ optional: { company: someText, department: someText, title: someText } }),
    birthday: text(40, { pattern: /^\d{4}-\d{2}-\d{2}$/ }),
  },
})

const emoji: Rule = (value, at) => {
  if (typeof value !== 'string') return malformed(at, 'must be a string')
  if (value === '' || isPlaceholder(value)) return undefined
  const single = [...new Intl.Segmenter().segment(value)].length === 1
  return single && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(value)
    ? undefined
    : invalid(at, 'must be one emoji')
}

/** Body of a text message. Excess length gives code 100 here, not 131009 as elsewhere. */
const messageText: Rule = (value, at) => {
  const isTooLong = typeof value === 'string' && [...value].length > 4_096
  return isTooLong ? malformed(at, 'must be at most 4096 characters long') : text(4_096)(value, at)
}

/** Rule of each message type for the member named after the type. */
const TYPES: Readonly<Record<string, Rule>> = {
  text: fields({ required: { body: messageText }, optional: { preview_url: flag } }),
  image: mediaRule('image'),
  video: mediaRule('video'),
  audio: mediaRule('audio'),
  document: mediaRule('document'),
  sticker: mediaRule('sticker'),
  location: fields({
    required: { latitude: numeric(-90, 90), longitude: numeric(-180, 180) },
    optional: { name: text(1000), address: text(1000), url: link },
  }),
  contacts: list(contact, 1, 257),
  reaction: fields({ required: { message_id: someText, emoji } }),
  interactive,
  template,
}

/** Members allowed on every message. Like the platform, ignores unknown ones on this level. */
const COMMON: Readonly<Record<string, Rule>> = {
  recipient_type: oneOf('individual', 'group'),
  context: fields({ required: { message_id: someText } }),
  biz_opaque_callback_data: text(512),
  recipient_identity_key_hash: someText,
  category: someText,
  type: someText,
}

/** Returns the digits of a number, as the platform formats it. */
export function digitsOf(number: string): string {
  return number.replace(/\D/g, '')
}

function numberProblem(to: string): Problem | undefined {
  if (isPlaceholder(to)) return undefined
  const digits = digitsOf(to)
  const plausible = /^\+?[\d -]+$/.test(to) && digits.length >= 5 && digits.length <= 20
  return plausible ? undefined : invalid('to', 'is not a valid phone number')
}

/** Reads `to` and `recipient`; `to` takes precedence (platform document 1.14). */
function recipientOf(
  body: Record<string, unknown>,
): { recipient: Recipient } | { problem: Problem } {
  const group = body['recipient_type'] === 'group'
  const [key, value] =
    body['to'] !== undefined && body['to'] !== ''
      ? (['to', body['to']] as const)
      : (['recipient', body['recipient']] as const)
  if (value === undefined || value === '') return { problem: missing('to') }
  if (typeof value !== 'string') return { problem: malformed(key, 'must be a string') }
  if (group) {
    const known = GROUP_ID.test(value) || isPlaceholder(value)
    return known
      ? { recipient: { kind: 'group', input: value } }
      : { problem: invalid(key, 'is not a valid group id') }
  }
  if (key === 'recipient') {
    const known = BSUID.test(value) || isPlaceholder(value)
    return known
      ? { recipient: { kind: 'user', input: value } }
      : { problem: invalid(key, 'is not a valid business-scoped user id') }
  }
  const problem = numberProblem(value)
  return problem === undefined ? { recipient: { kind: 'number', input: value } } : { problem }
}

const refuse = (problem: Problem): { refusal: Refusal } => ({ refusal: refusal(problem) })

function checkRead(body: Record<string, unknown>): { accepted: Accepted } | { refusal: Refusal } {
  const shape = fields({
    required: { messaging_product: someText, status: oneOf('read'), message_id: someText },
    optional: { typing_indicator: fields({ required: { type: oneOf('text') } }) },
    open: true,
  })
  const problem = shape(body, 'body')
  if (problem !== undefined) return refuse(problem)
  return {
    accepted: {
      kind: 'read',
      messageId: String(body['message_id']),
      typing: body['typing_indicator'] !== undefined,
    },
  }
}

function commonProblem(body: Record<string, unknown>): Problem | undefined {
  for (const [key, rule] of Object.entries(COMMON)) {
    const problem = body[key] === undefined ? undefined : rule(body[key], key)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Checks the member of the message type. An unknown type gives 131051, a missing member 131008. */
function contentProblem(
  type: string,
  body: Record<string, unknown>,
  context: CheckContext,
): Problem | undefined {
  const rule = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (rule === undefined)
    return { code: 131051, details: `Message type '${type}' is not supported.` }
  if (body[type] === undefined || body[type] === null) return missing(type)
  const problem =
    rule(body[type], type) ?? (context.mimeOf && fileProblem(body[type], type, context.mimeOf))
  if (problem !== undefined || type !== 'template') return problem
  const { name, language } = readSentTemplate(body['template'])
  const kept = context.keptTemplates?.find(name, language)
  if (kept !== undefined || context.keptTemplates?.isStrict === true)
    return checkAgainstTemplate(body['template'], kept, name)
  return context.templates && checkAgainstRegistry(body['template'], context.templates)
}

function templateCategory(
  body: Record<string, unknown>,
  context: CheckContext,
): string | undefined {
  const name = isObject(body['template']) ? body['template']['name'] : undefined
  const { language } = readSentTemplate(body['template'])
  const kept = context.keptTemplates?.find(String(name), language)
  return (kept ?? context.templates?.find((item) => item.name === name))?.category?.toLowerCase()
}

/**
 * Infers a missing type from the members; `text` if there is none. Published examples have both
 * forms.
 */
function impliedType(body: Record<string, unknown>): string {
  return Object.keys(TYPES).find((type) => body[type] !== undefined) ?? 'text'
}

/**
 * Validates a `/messages` body as strictly as the platform. Returns the message or the error
 * (platform document 2.1-2.6).
 */
export function checkSend(
  body: unknown,
  context: CheckContext,
): { accepted: Accepted } | { refusal: Refusal } {
  if (!isObject(body))
    return { refusal: refusal({ code: 100, details: 'The body must be a JSON object.' }) }
  if (body['messaging_product'] !== 'whatsapp') {
    return {
      refusal: refusal({
        code: 100,
        message: '(#100) The parameter messaging_product is required.',
      }),
    }
  }
  if (body['status'] !== undefined) return checkRead(body)
  const common = commonProblem(body)
  if (common !== undefined) return refuse(common)
  const reading = recipientOf(body)
  if ('problem' in reading) return refuse(reading.problem)
  const type = typeof body['type'] === 'string' ? body['type'] : impliedType(body)
  const content = contentProblem(type, body, context)
  if (content !== undefined) return refuse(content)
  const { recipient } = reading
  if (recipient.kind === 'number' && digitsOf(recipient.input) === context.senderDigits) {
    return refuse({ code: 131021, details: 'Sender and recipient phone number are the same.' })
  }
  const category = type === 'template' ? templateCategory(body, context) : undefined
  if (category === 'authentication' && recipient.kind === 'user') {
    return refuse({ code: 131062, details: 'Authentication templates need a phone number.' })
  }
  const data = body['biz_opaque_callback_data']
  return {
    accepted: {
      kind: 'message',
      type,
      recipient,
      callbackData: typeof data === 'string' ? data : undefined,
      category,
    },
  }
}
