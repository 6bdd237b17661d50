import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { flagOf, parametersOf } from './parameters'
import { isObject } from './rules'
import type { World } from './world'

const MAX_BLOCKED = 64_000
const MAX_BLOCKED_AT_ONCE = 1_000
const MAX_PREFILLED_LENGTH = 140
const DEFAULT_PAGE = 25

type QrCode = { code: string; prefilled_message: string; deep_link_url: string }
type Automation = {
  enable_welcome_message: boolean
  prompts: string[]
  commands: { command_name: string; command_description: string }[]
}
type Commerce = { is_cart_enabled: boolean; is_catalog_visible: boolean }

/**
 * State of numbers beside messages: blocked users, QR codes, conversational components and commerce
 * settings.
 */
export class NumberState {
  readonly #blocked = new Map<string, Map<string, string>>()
  readonly #codes = new Map<string, Map<string, QrCode>>()
  readonly #automation = new Map<string, Automation>()
  readonly #commerce = new Map<string, Commerce>()
  /** Usernames by number. */
  readonly usernames = new Map<string, string>()

  /** Returns the blocked users of a number: ID and the caller's input. */
  blocked(phoneId: string): Map<string, string> {
    return ofNumber(this.#blocked, phoneId, () => new Map<string, string>())
  }

  /** Reports whether any number has the QR code. */
  hasCode(code: string): boolean {
    return [...this.#codes.values()].some((codes) => codes.has(code))
  }

  /** Returns the QR codes of a number by code. */
  codes(phoneId: string): Map<string, QrCode> {
    return ofNumber(this.#codes, phoneId, () => new Map<string, QrCode>())
  }

  /** Returns the conversational components of a number; mutable. */
  automation(phoneId: string): Automation {
    return ofNumber(this.#automation, phoneId, () => ({
      enable_welcome_message: false,
      prompts: [],
      commands: [],
    }))
  }

  /** Returns the commerce settings of a number; mutable. */
  commerce(phoneId: string): Commerce {
    return ofNumber(this.#commerce, phoneId, () => ({
      is_cart_enabled: true,
      is_catalog_visible: false,
    }))
  }
}

function ofNumber<T>(known: Map<string, T>, phoneId: string, make: () => T): T {
  const found = known.get(phoneId) ?? make()
  known.set(phoneId, found)
  return found
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const success = ok({ success: true })
const invalid = (world: World, message: string): Answer =>
  rejected(world, refusal({ code: 100, message: `(#100) ${message}` }))
const isSomeText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most

/** Returns one page of a list after the `after` cursor. */
function paged(url: URL, rows: unknown[], data: (page: unknown[]) => unknown): Answer {
  const limit = Math.max(
    1,
    Math.min(1_000, Number(url.searchParams.get('limit') ?? DEFAULT_PAGE) || DEFAULT_PAGE),
  )
  const from = Number(Buffer.from(url.searchParams.get('after') ?? '', 'base64url').toString()) || 0
  const page = rows.slice(from, from + limit)
  const cursor = (at: number): string => Buffer.from(String(at)).toString('base64url')
  const end = from + page.length
  const next =
    end < rows.length
      ? { next: `${url.origin}${url.pathname}?limit=${limit}&after=${cursor(end)}` }
      : {}
  return ok({
    data: data(page),
    ...(page.length === 0
      ? {}
      : { paging: { cursors: { before: cursor(from), after: cursor(end) }, ...next } }),
  })
}

/**
 * `/{phone}/block_users`: blocks, unblocks and lists users. Only users who wrote within 24 hours
 * can be blocked.
 */
export function blockUsers(world: World, call: Call, phone: Phone, url: URL): Answer {
  const blocked = world.numbers.blocked(phone.id)
  if (call.method === 'GET') {
    const rows = [...blocked].map(([wa_id]) => ({ messaging_product: 'whatsapp', wa_id }))
    return paged(url, rows, (page) => [{ block_users: page }])
  }
  const { messaging_product, block_users: named } = parametersOf(call)
  if (messaging_product !== 'whatsapp')
    return invalid(world, 'The parameter messaging_product is required.')
  if (!Array.isArray(named) || named.length === 0)
    return invalid(world, 'The parameter block_users is required.')
  if (named.length > MAX_BLOCKED_AT_ONCE)
    return invalid(world, `Param block_users must have at most ${MAX_BLOCKED_AT_ONCE} elements.`)
  const inputs = named.map((user) => inputOf(world, user))
  const isBlocking = call.method === 'POST'
  const failed = inputs.filter(
    (input) => input === undefined || (isBlocking && !mayBlock(world, phone, blocked, input)),
  )
  const done = inputs
    .filter((input) => input !== undefined)
    .filter((input) => !failed.includes(input))
  for (const input of done) {
    if (isBlocking) blocked.set(idOf(world, input), input)
    else blocked.delete(idOf(world, input))
  }
  return blockResponse(world, { isBlocking, done, failed })
}

const idOf = (world: World, input: string): string =>
  /^[A-Z]{2}\./.test(input) ? input : world.dialled(input)

function inputOf(world: World, user: unknown): string | undefined {
  const input = isObject(user) ? (user['user'] ?? user['user_id']) : undefined
  return typeof input === 'string' && idOf(world, input) !== '' ? input : undefined
}

const mayBlock = (
  world: World,
  phone: Phone,
  blocked: Map<string, string>,
  input: string,
): boolean =>
  blocked.size < MAX_BLOCKED &&
  (blocked.has(idOf(world, input)) || world.limits.isWindowOpen(phone.id, idOf(world, input)))

function blockResponse(
  world: World,
  what: { isBlocking: boolean; done: string[]; failed: (string | undefined)[] },
): Answer {
  const users = what.done.map((input) => ({ input, wa_id: idOf(world, input) }))
  const list = { [what.isBlocking ? 'added_users' : 'removed_users']: users }
  if (what.failed.length === 0) return ok({ messaging_product: 'whatsapp', block_users: list })
  const details = 'User has not messaged in the last 24 hours'
  const failed_users = what.failed.map((input) => ({
    input: input ?? null,
    ...(input === undefined ? {} : { wa_id: idOf(world, input) }),
    errors: [{ message: 'Re-engagement required', code: 131_047, error_data: { details } }],
  }))
  const failure = {
    code: 139_100,
    details: 'Failed to block some users, see the block_users response list for details',
  }
  const { status, body } = rejected(world, refusal(failure))
  return {
    status,
    body: {
      messaging_product: 'whatsapp',
      block_users: { ...list, failed_users },
      ...(body as object),
    },
  }
}

/**
 * `/{phone}/message_qrdls` and `/{phone}/message_qrdls/{code}`: QR codes and short links with a
 * prefilled message.
 */
export function qrCodes(world: World, call: Call, phone: Phone, url: URL): Answer {
  const codes = world.numbers.codes(phone.id)
  const asked = parametersOf(call)
  const codeInPath = call.path.split('/message_qrdls/')[1]?.replace(/\/$/, '')
  const named = codeInPath === undefined || codeInPath === '' ? asked['code'] : codeInPath
  const known = typeof named === 'string' ? codes.get(named) : undefined
  if (named !== undefined && known === undefined)
    return invalid(world, 'The QR code does not exist.')
  if (call.method === 'GET')
    return paged(
      url,
      (known === undefined ? [...codes.values()] : [known]).map((code) =>
        withImage(world, code, url.searchParams.get('fields')),
      ),
      (page) => page,
    )
  if (call.method === 'DELETE')
    return known !== undefined && codes.delete(known.code)
      ? success
      : invalid(world, 'The parameter code is required.')
  const words = asked['prefilled_message']
  if (!isSomeText(words, MAX_PREFILLED_LENGTH))
    return invalid(
      world,
      `Param prefilled_message must have 1 to ${MAX_PREFILLED_LENGTH} characters.`,
    )
  if (known !== undefined) {
    known.prefilled_message = words
    return ok(known)
  }
  return madeCode(world, codes, words, asked['generate_qr_image'])
}

const imageUrl = (world: World, code: string, format: string): string =>
  `${world.origin()}/_qr/${code}.${format.toLowerCase()}`

/** Adds the address of the image if the fields ask for it in a format. */
function withImage(world: World, code: QrCode, fields: string | null): object {
  const format = /qr_image_url\.format\((SVG|PNG)\)/i.exec(fields ?? '')?.[1]
  return format === undefined ? code : { ...code, qr_image_url: imageUrl(world, code.code, format) }
}

/** A PNG image of one pixel, as `/_qr/{code}.png` serves it. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

/** `/_qr/{code}.png`: the image of a QR code, to anybody. */
export function qrImage(world: World, url: URL): Answer {
  const code = /^\/_qr\/(\w+)\.png$/.exec(url.pathname)?.[1] ?? ''
  return world.numbers.hasCode(code)
    ? { status: 200, body: new Uint8Array(PIXEL), headers: { 'content-type': 'image/png' } }
    : { status: 404, body: {} }
}

function madeCode(
  world: World,
  codes: Map<string, QrCode>,
  prefilled_message: string,
  image: unknown,
): Answer {
  if (
    image !== undefined &&
    (typeof image !== 'string' || !['png', 'svg'].includes(image.toLowerCase()))
  )
    return invalid(world, 'Param generate_qr_image must be one of {SVG, PNG}.')
  const code = world.administration.next('SIMQR')
  const made = { code, prefilled_message, deep_link_url: `https://wa.me/message/${code}` }
  codes.set(code, made)
  return ok({
    ...made,
    ...(image === undefined ? {} : { qr_image_url: imageUrl(world, code, image) }),
  })
}

const PROMPTS = { most: 4, longest: 80 }
const COMMANDS = { most: 30, longestName: 32, longestDescription: 256 }

/**
 * `/{phone}/conversational_automation`: the welcome message, ice breakers and commands of a number.
 */
export function conversationalAutomation(world: World, call: Call, phone: Phone): Answer {
  const automation = world.numbers.automation(phone.id)
  if (call.method === 'GET') return ok(automation)
  const { enable_welcome_message, prompts, commands, ...others } = parametersOf(call)
  const [unknownKey] = Object.keys(others)
  if (unknownKey !== undefined) return invalid(world, `Unexpected key "${unknownKey}" on param.`)
  const welcome =
    enable_welcome_message === undefined
      ? automation.enable_welcome_message
      : flagOf(enable_welcome_message)
  if (welcome === undefined)
    return invalid(world, 'Param enable_welcome_message must be a boolean.')
  if (prompts !== undefined && !arePrompts(prompts))
    return invalid(
      world,
      `Param prompts must have at most ${PROMPTS.most} texts of at most ${PROMPTS.longest} characters.`,
    )
  if (commands !== undefined && !areCommands(commands))
    return invalid(
      world,
      `Param commands must have at most ${COMMANDS.most} commands, each with a name and a description.`,
    )
  automation.enable_welcome_message = welcome
  if (arePrompts(prompts)) automation.prompts = prompts
  if (areCommands(commands)) automation.commands = commands
  return success
}

const arePrompts = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= PROMPTS.most &&
  value.every((prompt) => isSomeText(prompt, PROMPTS.longest))

const areCommands = (value: unknown): value is Automation['commands'] =>
  Array.isArray(value) &&
  value.length <= COMMANDS.most &&
  value.every(
    (command) =>
      isObject(command) &&
      isSomeText(command['command_name'], COMMANDS.longestName) &&
      isSomeText(command['command_description'], COMMANDS.longestDescription),
  )

/** `/{phone}/whatsapp_commerce_settings`: whether customers see the catalog and have a cart. */
export function commerceSettings(world: World, call: Call, phone: Phone): Answer {
  const settings = world.numbers.commerce(phone.id)
  if (call.method === 'GET') return ok({ data: [{ ...settings, id: phone.id }] })
  const asked = parametersOf(call)
  for (const name of ['is_cart_enabled', 'is_catalog_visible'] as const) {
    if (asked[name] === undefined) continue
    const flag = flagOf(asked[name])
    if (flag === undefined) return invalid(world, `Param ${name} must be a boolean.`)
    settings[name] = flag
  }
  return success
}

const USERNAME = /^(?=.*[a-z])[a-z0-9_][a-z0-9._]{1,33}[a-z0-9_]$/i
const NO_USERNAME = [/^www/i, /\.\./, /\.(?:com|org|net|int|edu|gov|mil|us|in|html)$/i]

/** `/{phone}/username`: the username of a number. No two numbers have the same. */
export function businessUsername(world: World, call: Call, phone: Phone): Answer {
  const { usernames } = world.numbers
  const own = usernames.get(phone.id)
  if (call.method === 'GET')
    return ok(own === undefined ? {} : { username: own, status: 'reserved' })
  if (call.method === 'DELETE')
    return usernames.delete(phone.id) ? success : invalid(world, 'The number has no username.')
  const { username, transfer_action, ...others } = parametersOf(call)
  const [unknownKey] = Object.keys(others)
  if (unknownKey !== undefined) return invalid(world, `Unexpected key "${unknownKey}" on param.`)
  if (
    transfer_action !== undefined &&
    !['none', 'force_transfer'].some((known) => known === transfer_action)
  )
    return invalid(world, 'Param transfer_action must be one of {none, force_transfer}.')
  if (
    typeof username !== 'string' ||
    !USERNAME.test(username) ||
    NO_USERNAME.some((wrong) => wrong.test(username))
  )
    return invalid(world, 'Param username is not a valid username.')
  const isTaken = [...usernames].some(
    ([id, taken]) => id !== phone.id && taken.toLowerCase() === username.toLowerCase(),
  )
  if (isTaken)
    return rejected(world, refusal({ code: 147_001, message: 'Username is not available' }))
  usernames.set(phone.id, username)
  return ok({ status: 'reserved' })
}
