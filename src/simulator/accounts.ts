import { digitsOf } from './checks'
import type { PastItem } from './coexistence'
import { refusal } from './errors'
import type { Refusal } from './errors'

/** A business phone number registered with the simulated platform. */
export type Phone = {
  /** Phone number ID. */
  id: string
  wabaId: string
  /** Formatted for people, for example `+1 555-010-0001`. */
  displayPhoneNumber: string
  verifiedName: string
  /** Access token for this number. */
  token: string
  qualityRating: string
  status: string
  codeVerificationStatus: string
  nameStatus: string
  accountMode: string
  throughputLevel: string
  messagingLimit: string
  /** Expiry of the token in Unix seconds; 0: never. */
  tokenExpiresAt: number
  /** Business portfolio of its account. */
  portfolioId: string
  /** Number of the time zone of its business account; without it the platform reports none. */
  timezoneId?: string
  isOnBizApp: boolean
  /** What its phone app hands over; without it, one contact and one chat of two messages. */
  phoneApp?: PhoneApp
  /** How far its business is verified. */
  businessVerification: string
  /** Whether its business may send on `/marketing_messages`: ELIGIBLE, ONBOARDED or INELIGIBLE. */
  marketingStatus: string
  /** Whether its business accepts marketing only on `/marketing_messages`. */
  isMarketingOff: boolean
  /** Whether its business may send messages without a template outside of the window. */
  hasDirectSend: boolean
  /** Whether its business signed the agreement that highest prices of templates need. */
  hasMaxPriceAgreement: boolean
  /** Messaging accounts that can pay for its messages. With several, each message names one. */
  messagingAccounts?: string[]
  /** Scopes of the token, if not all. */
  scopes?: string[]
  /** Country in which the content of its messages is stored, if not the default. */
  storageRegion?: string
  /** Two-step verification PIN, once set. */
  pin?: string
  /**
   * ID of the payment method of its business account, `null` if the platform leaves it out. Without
   * it the app may not ask (error 10).
   */
  fundingId?: string | null
  /**
   * Whether nobody pays: charged templates are refused with 131042, other charged messages are
   * accepted and then fail with it, or nothing more is heard of them.
   */
  unpaid?: 'no' | 'fails' | 'silent'
  /** Reported `can_send_message`, if it does not follow from the status. */
  canSend?: string
  healthErrors?: Record<string, unknown>[]
  /** Errors of its business account in `health_status`, which block it. */
  businessErrors: Record<string, unknown>[]
  /** Reported status of its public key. */
  flowKeyStatus?: string
  /** Callback URL and app secret of its webhooks, if not the simulator's. */
  callbackUrl?: string
  appSecret?: string
}

/** The WhatsApp Business app of a number's phone. */
export type PhoneApp = {
  /** When the number was connected, epoch milliseconds. Data is handed over for 24 hours. */
  connectedAtMs?: number
  /** How it says that the person does not share the chats, if so. */
  declines?: 'answer' | 'webhook'
  /** The parts of the history; each is one webhook. */
  parts?: { progress: number; items: PastItem[] }[]
}

/** A business account, which may have no number yet. */
export type Business = {
  wabaId: string
  token: string
  tokenExpiresAt: number
  portfolioId: string
  businessVerification: string
}

/** Options of a new number. Missing ones are generated. */
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
  businessVerification: 'verified',
  marketingStatus: 'ELIGIBLE',
  isMarketingOff: false,
  hasDirectSend: true,
  businessErrors: [],
  hasMaxPriceAgreement: false,
}

const LIMIT = 10_000

/** Phone numbers and business accounts of the simulated platform, and their app subscriptions. */
export class Accounts {
  readonly #phones = new Map<string, Phone>()
  readonly #businesses = new Map<string, Business>()
  readonly #subscribed = new Map<string, Record<string, unknown>>()

  /** Registers a number, or updates it if the ID is known. Throws if too many are registered. */
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

  /** Adds a business account without numbers. They are added to it by `add`. */
  addBusiness(options: Pick<Business, 'wabaId' | 'token'> & Partial<Business>): Business {
    const { tokenExpiresAt, portfolioId, businessVerification } = DEFAULTS
    const business = { tokenExpiresAt, portfolioId, businessVerification, ...options }
    this.#businesses.set(business.wabaId, business)
    return business
  }

  /** Returns a business account: as it was added, or as its first number says. */
  business(wabaId: string): Business | undefined {
    const [phone] = this.phonesOf(wabaId)
    return this.#businesses.get(wabaId) ?? phone
  }

  /** Returns the business accounts that a token is for. */
  businessesOf(token: string): Business[] {
    const all = [...this.#businesses.values(), ...this.phones].filter((one) => one.token === token)
    return [...new Map(all.map((one) => [one.wabaId, one])).values()]
  }

  /** Sets the callback URL of a number. An empty URL restores the default. */
  setCallback(id: string, url: string): void {
    const { callbackUrl: _, ...phone } = this.#phones.get(id) ?? this.add({ id })
    this.#phones.set(id, url === '' ? phone : { ...phone, callbackUrl: url })
  }

  /** Returns the number with this ID. */
  phone(id: string): Phone | undefined {
    return this.#phones.get(id)
  }

  /** All numbers in order of registration. */
  get phones(): readonly Phone[] {
    return [...this.#phones.values()]
  }

  /** Returns the numbers of an account. Empty if the account is unknown. */
  phonesOf(wabaId: string): readonly Phone[] {
    return this.phones.filter((phone) => phone.wabaId === wabaId)
  }

  /** Reports whether any number has this token. */
  knowsToken(token: string | undefined): boolean {
    return token !== undefined && this.businessesOf(token).length > 0
  }

  /** Subscribes the app to an account, optionally with another callback. */
  subscribe(wabaId: string, override: Record<string, unknown>): void {
    this.#subscribed.set(wabaId, override)
  }

  /** Unsubscribes the app. */
  unsubscribe(wabaId: string): void {
    this.#subscribed.delete(wabaId)
  }

  /** Returns the subscription of an account, or undefined. */
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
    quality_score: { score: phone.qualityRating },
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
    is_preverified_number: false,
    search_visibility: 'NON_VISIBLE',
    eligibility_for_api_business_global_search: 'NON_ELIGIBLE',
    is_on_biz_app: phone.isOnBizApp,
    country_dial_code: digitsOf(phone.displayPhoneNumber).slice(0, 1),
    country_code: 'US',
    last_onboarded_time: '2026-01-05T08:00:00+0000',
    certificate: 'c2ltdWxhdGVk',
    new_certificate: '',
    health_status: healthOf(phone),
    webhook_configuration:
      phone.callbackUrl === undefined ? {} : { phone_number: phone.callbackUrl },
  }
}

function healthOf(phone: Phone): Record<string, unknown> {
  const able = phone.canSend ?? (phone.status === 'CONNECTED' ? 'AVAILABLE' : 'BLOCKED')
  const errors = phone.healthErrors === undefined ? {} : { errors: phone.healthErrors }
  const blocked =
    phone.businessErrors.length === 0
      ? { can_send_message: 'AVAILABLE' }
      : { can_send_message: 'BLOCKED', errors: phone.businessErrors }
  const entities = [
    { entity_type: 'PHONE_NUMBER', id: phone.id, can_send_message: able, ...errors },
    { entity_type: 'WABA', id: phone.wabaId, ...blocked },
  ]
  return { can_send_message: phone.businessErrors.length === 0 ? able : 'BLOCKED', entities }
}

const USUAL =
  'id,display_phone_number,verified_name,quality_rating,code_verification_status,platform_type,throughput'

/** Returns the names in a `fields` parameter, without nested fields. */
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
 * Returns the requested fields of a number. An unknown field gives code 100, as on the platform.
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
