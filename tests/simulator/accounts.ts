import { digitsOf } from './checks'
import { refusal } from './errors'
import type { Refusal } from './errors'

/** A business phone number registered with the simulated platform. */
export type Phone = {
  /** The phone number id. */
  id: string
  wabaId: string
  /** As people write it, for example `+1 555-010-0001`. */
  displayPhoneNumber: string
  verifiedName: string
  /** The access token that may use this number. */
  token: string
  qualityRating: string
  status: string
  codeVerificationStatus: string
  nameStatus: string
  accountMode: string
  throughputLevel: string
  messagingLimit: string
  /** When the token ends, Unix seconds; 0: never. */
  tokenExpiresAt: number
  /** The business portfolio its account belongs to. */
  portfolioId: string
  isOnBizApp: boolean
  /** What the token may do, when not everything. */
  scopes?: string[]
  /** The PIN of its two-step verification, once it has one. */
  pin?: string
  /** What is told of its health in place of what its status means. */
  canSend?: string
  healthErrors?: Record<string, unknown>[]
  /** What is told of the public key it gets. */
  flowKeyStatus?: string
  /**
   * Where its webhooks go, and the app secret they are signed with, when not the simulator's own.
   */
  callbackUrl?: string
  appSecret?: string
}

/** What may be said of a number to register; the rest is invented. */
export type PhoneOptions = Partial<Phone>

const DEFAULTS: Omit<Phone, 'id' | 'displayPhoneNumber'> = {
  wabaId: '201000000000001',
  verifiedName: 'Acme',
  token: 'simulated-token',
  qualityRating: 'GREEN',
  status: 'CONNECTED',
  codeVerificationStatus: 'VERIFIED',
  nameStatus: 'APPROVED',
  accountMode: 'LIVE',
  throughputLevel: 'STANDARD',
  messagingLimit: 'TIER_2K',
  tokenExpiresAt: 0,
  portfolioId: '501000000000001',
  isOnBizApp: false,
}

const LIMIT = 10_000

/**
 * The numbers and accounts the simulated platform knows, and which accounts an app subscribed to.
 */
export class Accounts {
  readonly #phones = new Map<string, Phone>()
  readonly #subscribed = new Map<string, Record<string, unknown>>()

  /**
   * Registers a number (or changes it, when the id is known). Throws when absurdly many are
   * registered.
   */
  add(options: PhoneOptions = {}): Phone {
    const nth = this.#phones.size + 1
    if (nth > LIMIT) throw new Error(`More than ${LIMIT} phone numbers are registered`)
    const id = options.id ?? String(301_000_000_000_000 + nth)
    const number = `+1 555-010-${String(nth).padStart(4, '0')}`
    const phone: Phone = {
      ...DEFAULTS,
      displayPhoneNumber: number,
      ...this.#phones.get(id),
      ...options,
      id,
    }
    this.#phones.set(id, phone)
    return phone
  }

  /**
   * Sends the webhooks of a number to an address of its own; an empty one: to the usual one again.
   */
  setCallback(id: string, url: string): void {
    const { callbackUrl: _, ...phone } = this.#phones.get(id) ?? this.add({ id })
    this.#phones.set(id, url === '' ? phone : { ...phone, callbackUrl: url })
  }

  /** The number with this id. */
  phone(id: string): Phone | undefined {
    return this.#phones.get(id)
  }

  /** All numbers, in the order they were registered. */
  get phones(): readonly Phone[] {
    return [...this.#phones.values()]
  }

  /** The numbers of an account; empty when the account is unknown. */
  phonesOf(wabaId: string): readonly Phone[] {
    return this.phones.filter((phone) => phone.wabaId === wabaId)
  }

  /** True when some number has this token. */
  knowsToken(token: string | undefined): boolean {
    return token !== undefined && this.phones.some((phone) => phone.token === token)
  }

  /** Subscribes the app to an account, with an optional override of the callback. */
  subscribe(wabaId: string, override: Record<string, unknown>): void {
    this.#subscribed.set(wabaId, override)
  }

  /** Ends the subscription. */
  unsubscribe(wabaId: string): void {
    this.#subscribed.delete(wabaId)
  }

  /** The subscription of an account, or undefined. */
  subscription(wabaId: string): Record<string, unknown> | undefined {
    return this.#subscribed.get(wabaId)
  }
}

function factsOf(phone: Phone): Record<string, unknown> {
  return {
    id: phone.id,
    display_phone_number: phone.displayPhoneNumber,
    verified_name: phone.verifiedName,
    quality_rating: phone.qualityRating,
    status: phone.status,
    name_status: phone.nameStatus,
    new_name_status: 'NONE',
    code_verification_status: phone.codeVerificationStatus,
    account_mode: phone.accountMode,
    platform_type: 'CLOUD_API',
    throughput: { level: phone.throughputLevel },
    whatsapp_business_manager_messaging_limit: phone.messagingLimit,
    is_official_business_account: false,
    is_pin_enabled: true,
    is_on_biz_app: phone.isOnBizApp,
    country_dial_code: digitsOf(phone.displayPhoneNumber).slice(0, 1),
    last_onboarded_time: '2026-01-05T08:00:00+0000',
    certificate: 'c2ltdWxhdGVk',
    health_status: healthOf(phone),
    webhook_configuration:
      phone.callbackUrl === undefined ? {} : { phone_number: phone.callbackUrl },
  }
}

function healthOf(phone: Phone): Record<string, unknown> {
  const able = phone.canSend ?? (phone.status === 'CONNECTED' ? 'AVAILABLE' : 'BLOCKED')
  const errors = phone.healthErrors === undefined ? {} : { errors: phone.healthErrors }
  const entities = [
    { entity_type: 'PHONE_NUMBER', id: phone.id, can_send_message: able, ...errors },
    { entity_type: 'WABA', id: phone.wabaId, can_send_message: 'AVAILABLE' },
  ]
  return { can_send_message: able, entities }
}

const USUAL =
  'id,display_phone_number,verified_name,quality_rating,code_verification_status,platform_type,throughput'

/**
 * The field names of a `fields` parameter, without what is nested in braces or asked with a dot.
 */
function fieldNames(fields: string): string[] {
  let flat = fields
  for (let depth = 0; depth < 5 && flat.includes('{'); depth += 1)
    flat = flat.replace(/\{[^{}]*\}/g, '')
  return flat
    .split(',')
    .map((name) => name.trim().replace(/\..*$/, ''))
    .filter((name) => name !== '')
}

/**
 * What the platform tells of a number, limited to the fields asked for; an unknown field is code
 * 100, as on the platform.
 */
export function phoneFacts(
  phone: Phone,
  fields: string | null,
  more: Record<string, unknown> = {},
): { facts: Record<string, unknown> } | { refusal: Refusal } {
  const known = { ...factsOf(phone), ...more }
  const facts: Record<string, unknown> = { id: phone.id }
  for (const name of fieldNames(fields === null || fields === '' ? USUAL : fields)) {
    if (!Object.hasOwn(known, name)) {
      const message = `(#100) Tried accessing nonexisting field (${name}) on node type (WhatsAppBusinessPhoneNumber)`
      return { refusal: refusal({ code: 100, message }) }
    }
    facts[name] = known[name]
  }
  return { facts }
}
