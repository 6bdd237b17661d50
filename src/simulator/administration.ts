import { createPublicKey } from 'node:crypto'

import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal, unknownObject } from './errors'
import type { Failure } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { handshake } from './posting'
import { isObject } from './rules'
import { seconds, type World } from './world'

/** App of the simulated tokens. Its secret signs the webhooks. */
export const SIMULATED_APP = '601000000000001'

const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging']
const CODE_LIFE_MS = 30_000
const REGISTRATION_SPAN_MS = 72 * 60 * 60 * 1000
const MAX_REGISTRATIONS = 10
const MAX_PICTURE_BYTES = 5 * 1024 * 1024

const VERTICALS = new Set(
  (
    'ALCOHOL APPAREL AUTO BEAUTY EDU ENTERTAIN EVENT_PLAN FINANCE GOVT GROCERY HEALTH HOTEL NONPROFIT ONLINE_GAMBLING OTC_DRUGS ' +
    'OTHER PHYSICAL_GAMBLING PROF_SERVICES RESTAURANT RETAIL TRAVEL UNDEFINED'
  ).split(' '),
)

/** Size of uploads that are kept to be shown. */
const KEPT_BYTES = 64 * 1_024

/** Length limits of a business profile. */
const PROFILE_TEXTS: Readonly<Record<string, { least: number; most: number }>> = {
  about: { least: 1, most: 139 },
  address: { least: 0, most: 256 },
  description: { least: 0, most: 512 },
  email: { least: 0, most: 128 },
}

/** An upload session without its bytes. */
type Session = { token: string; bytes: number; type: string }

/** State of numbers apart from messages. */
export class AdministrationState {
  readonly codes = new Map<string, { token: string; untilMs: number; redirectUri: string | null }>()
  readonly profiles = new Map<string, Record<string, unknown>>()
  readonly keys = new Map<string, { publicKey: string; status: string }>()
  readonly registrations = new Map<string, number[]>()
  readonly sessions = new Map<string, Session>()
  readonly handles = new Set<string>()
  /** Small files that were uploaded, by their handles. */
  readonly pictures = new Map<string, Uint8Array>()
  /** Numbers to which a verification code was sent. */
  readonly codesSent = new Set<string>()
  /** What phone apps have handed over: phone number ID and kind. */
  readonly handedOver = new Set<string>()
  #made = 0

  /** Returns a unique name. */
  next(prefix: string): string {
    this.#made += 1
    return `${prefix}${this.#made}`
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const no = (world: World, failure: Failure): Answer => rejected(world, refusal(failure))
const invalid = (world: World, message: string): Answer =>
  no(world, { code: 100, message: `(#100) ${message}` })
const success = ok({ success: true })

/** Returns the unknown members of a body. */
const unknownKeys = (body: Record<string, unknown>, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !known.includes(name))

/** Reports whether a token has expired. */
export const isExpired = (
  world: World,
  { tokenExpiresAt }: Pick<Phone, 'tokenExpiresAt'>,
): boolean => tokenExpiresAt !== 0 && tokenExpiresAt <= seconds(world)

/** `debug_token`: inspects a token, for its app or its holder. */
export function inspectToken(world: World, url: URL): Answer {
  const right = url.searchParams.get('access_token') ?? ''
  const token = url.searchParams.get('input_token') ?? ''
  const holders = world.accounts.businessesOf(token)
  const scopes = world.accounts.phones.find((phone) => phone.token === token)?.scopes ?? SCOPES
  const isApp = right === `${SIMULATED_APP}|${world.callback.secret}`
  if (!isApp && !(right === token && holders.length > 0))
    return no(world, { code: 190, message: 'Invalid OAuth access token signature.' })
  const [holder] = holders
  if (holder === undefined)
    return ok({
      data: {
        is_valid: false,
        scopes: [],
        error: { code: 190, message: 'The access token could not be decrypted' },
      },
    })
  const isValid = !isExpired(world, holder)
  const wabas = holders.map(({ wabaId }) => wabaId)
  return ok({
    data: {
      app_id: SIMULATED_APP,
      type: 'SYSTEM_USER',
      application: 'Simulated app',
      is_valid: isValid,
      expires_at: holder.tokenExpiresAt,
      data_access_expires_at: 0,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids: wabas })),
      user_id: '901000000000001',
    },
  })
}

/** `oauth/access_token`: exchanges a signup code for a token, once and before it expires. */
export function exchangeCode(world: World, url: URL): Answer {
  const [id, secret, code] = ['client_id', 'client_secret', 'code'].map(
    (name) => url.searchParams.get(name) ?? '',
  )
  if (id !== SIMULATED_APP)
    return no(world, {
      code: 101,
      message: 'Error validating application. Cannot get application info.',
    })
  if (secret !== world.callback.secret)
    return no(world, { code: 1, httpStatus: 400, message: 'Error validating client secret.' })
  const known = world.administration.codes.get(code ?? '')
  world.administration.codes.delete(code ?? '')
  if (known === undefined) return invalid(world, 'This authorization code has been used.')
  if (known.untilMs < world.nowMs()) return invalid(world, 'This authorization code has expired.')
  if (url.searchParams.get('redirect_uri') !== known.redirectUri)
    return invalid(
      world,
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
    )
  return ok({ access_token: known.token, token_type: 'bearer' })
}

/**
 * Creates a signup code for a token, valid for 30 seconds. `redirectUri` is the page that the dialog
 * led to, `null` if a script opened the dialog.
 */
export function issueCode(
  world: World,
  { token }: Pick<Phone, 'token'>,
  redirectUri: string | null,
): string {
  const code = world.administration.next('signup-code-')
  world.administration.codes.set(code, {
    token,
    redirectUri,
    untilMs: world.nowMs() + CODE_LIFE_MS,
  })
  return code
}

const WABA_FIELDS = [
  'id',
  'name',
  'owner_business_info',
  'on_behalf_of_business_info',
  'timezone_id',
  'account_review_status',
  'marketing_messages_onboarding_status',
  'business_verification_status',
  'primary_funding_id',
]

/** Returns the facts of a business account. */
export function businessFacts(
  world: World,
  wabaId: string,
  phones: readonly Phone[],
  url: URL,
): Answer {
  const asked = (url.searchParams.get('fields') ?? 'id').split(',')
  const unknown = asked.find((name) => !WABA_FIELDS.includes(name))
  if (unknown !== undefined)
    return invalid(
      world,
      `Tried accessing nonexisting field (${unknown}) on node type (WhatsAppBusinessAccount)`,
    )
  const [phone] = phones
  const business = world.accounts.business(wabaId)
  if (asked.includes('primary_funding_id') && phone?.fundingId === undefined)
    return no(world, { code: 10 })
  const known: Record<string, unknown> = {
    id: wabaId,
    name: 'Simulated account',
    owner_business_info: { id: business?.portfolioId, name: 'Simulated business' },
    business_verification_status: business?.businessVerification,
    account_review_status: 'APPROVED',
    timezone_id: phone?.timezoneId,
    marketing_messages_onboarding_status: phone?.marketingStatus,
    primary_funding_id: phone?.fundingId ?? undefined,
  }
  return ok(
    Object.fromEntries(
      ['id', ...asked]
        .filter((name) => known[name] !== undefined)
        .map((name) => [name, known[name]]),
    ),
  )
}

/**
 * Subscribes or unsubscribes the app, or lists subscriptions. Another callback URL is verified
 * first.
 */
export async function subscription(world: World, call: Call, wabaId: string): Promise<Answer> {
  if (call.method === 'POST') {
    const body = parametersOf(call)
    const trouble = await callbackError(world, body['override_callback_uri'], body['verify_token'])
    if (trouble !== null) return trouble
    world.accounts.subscribe(wabaId, body)
  }
  if (call.method === 'DELETE') world.accounts.unsubscribe(wabaId)
  if (call.method !== 'GET') return success
  const override = world.accounts.subscription(wabaId)
  const app = { id: SIMULATED_APP, name: 'Simulated app', link: 'https://example.com/app' }
  const uri = override?.['override_callback_uri']
  const row = {
    whatsapp_business_api_data: app,
    ...(uri === undefined ? {} : { override_callback_uri: uri }),
  }
  return ok({ data: override === undefined ? [] : [row] })
}

/** Verifies a callback URL. Returns the error, or `null`. */
async function callbackError(world: World, uri: unknown, token: unknown): Promise<Answer | null> {
  if (uri === undefined || uri === '') return null
  if (typeof uri !== 'string' || typeof token !== 'string' || token === '')
    return invalid(world, 'The parameter verify_token is required with override_callback_uri.')
  const isProven = await handshake(uri, token, String(1_158_201_444 + world.log.total)).then(
    ({ verified }) => verified,
    () => false,
  )
  return isProven
    ? null
    : no(world, {
        code: 2200,
        message: '(#2200) Callback verification failed with the following errors: HTTP status',
      })
}

/** Changes the callback URL or the PIN of a number. */
export async function changePhone(world: World, call: Call, phone: Phone): Promise<Answer> {
  const body = parametersOf(call)
  const unknown = unknownKeys(body, ['webhook_configuration', 'pin'])
  if (unknown.length > 0 || Object.keys(body).length === 0)
    return invalid(world, `Unexpected parameters: ${unknown.join(', ')}.`)
  const wanted = body['webhook_configuration']
  if (wanted !== undefined) {
    if (!isObject(wanted) || typeof wanted['override_callback_uri'] !== 'string')
      return invalid(world, 'Param webhook_configuration must have an override_callback_uri.')
    const trouble = await callbackError(
      world,
      wanted['override_callback_uri'],
      wanted['verify_token'],
    )
    if (trouble !== null) return trouble
    world.accounts.setCallback(phone.id, wanted['override_callback_uri'])
  }
  return success
}

/** Registers a number. Checks or sets its PIN; at most ten times in 72 hours. */
export function register(world: World, call: Call, phone: Phone): Answer {
  const body = parametersOf(call)
  const unknown = unknownKeys(body, ['messaging_product', 'pin'])
  if (unknown.length > 0) return invalid(world, `Unexpected parameters: ${unknown.join(', ')}.`)
  if (body['messaging_product'] !== 'whatsapp')
    return invalid(world, 'The parameter messaging_product is required.')
  const pin = body['pin']
  if (typeof pin !== 'string' || !/^\d{6}$/.test(pin))
    return invalid(world, 'Param pin must be 6 characters long.')
  const recent = (world.administration.registrations.get(phone.id) ?? []).filter(
    (atMs) => atMs > world.nowMs() - REGISTRATION_SPAN_MS,
  )
  if (recent.length >= MAX_REGISTRATIONS) return no(world, { code: 133_016 })
  world.administration.registrations.set(phone.id, [...recent, world.nowMs()])
  if (phone.isOnBizApp) return invalid(world, 'The number is used in the WhatsApp Business app.')
  if (phone.codeVerificationStatus !== 'VERIFIED') return no(world, { code: 133_006 })
  if (phone.pin !== undefined && phone.pin !== pin) return no(world, { code: 133_005 })
  world.accounts.add({ id: phone.id, pin, status: 'CONNECTED' })
  return success
}

/** Returns or updates the business profile. */
export function profile(world: World, call: Call, phone: Phone, url: URL): Answer {
  const known: Record<string, unknown> = {
    vertical: 'UNDEFINED',
    ...world.administration.profiles.get(phone.id),
  }
  if (call.method === 'GET') {
    const fields = (url.searchParams.get('fields') ?? 'about').split(',')
    const told = Object.fromEntries(
      fields.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]),
    )
    return ok({ data: [{ messaging_product: 'whatsapp', ...told }] })
  }
  const { messaging_product, profile_picture_handle, ...changes } = parametersOf(call)
  const handle = typeof profile_picture_handle === 'string' ? profile_picture_handle : ''
  if (messaging_product !== 'whatsapp')
    return invalid(world, 'The parameter messaging_product is required.')
  const trouble = profileTrouble(changes)
  if (trouble !== null) return invalid(world, trouble)
  if (profile_picture_handle !== undefined && !world.administration.handles.has(handle))
    return invalid(world, 'Param profile_picture_handle is not a valid handle.')
  const picture =
    profile_picture_handle === undefined
      ? {}
      : { profile_picture_url: `${world.origin()}/_picture/${encodeURIComponent(handle)}` }
  world.administration.profiles.set(phone.id, { ...known, ...changes, ...picture })
  return success
}

/** `/_picture/{handle}`: the picture of a profile, to anybody. */
export function profilePicture(world: World, url: URL): Answer {
  const handle = decodeURIComponent(url.pathname.slice('/_picture/'.length))
  const bytes = world.administration.pictures.get(handle)
  return bytes === undefined
    ? { status: 404, body: {} }
    : { status: 200, body: bytes, headers: { 'content-type': 'application/octet-stream' } }
}

function profileTrouble(changes: Record<string, unknown>): string | null {
  const unknown = unknownKeys(changes, [...Object.keys(PROFILE_TEXTS), 'websites', 'vertical'])
  if (unknown.length > 0) return `Unexpected parameters: ${unknown.join(', ')}.`
  for (const [name, { least, most }] of Object.entries(PROFILE_TEXTS)) {
    const text = changes[name]
    if (
      text !== undefined &&
      (typeof text !== 'string' || text.length < least || text.length > most)
    )
      return `Param ${name} must be between ${least} and ${most} characters.`
  }
  const { websites, vertical } = changes
  const areSites =
    Array.isArray(websites) &&
    websites.length <= 2 &&
    websites.every((site) => typeof site === 'string' && /^https?:\/\/.{1,250}$/.test(site))
  if (websites !== undefined && !areSites) return 'Param websites must be at most 2 URLs.'
  return vertical === undefined ||
    vertical === '' ||
    (typeof vertical === 'string' && VERTICALS.has(vertical))
    ? null
    : 'Param vertical must be one of the known verticals.'
}

/** Opens an upload session for an announced file. */
export function openSession(world: World, call: Call, url: URL): Answer {
  if (call.object !== SIMULATED_APP)
    return rejected(world, unknownObject(call.method, call.object ?? ''))
  const bytes = Number(url.searchParams.get('file_length'))
  const type = url.searchParams.get('file_type') ?? ''
  if ((url.searchParams.get('file_name') ?? '') === '')
    return invalid(world, 'The parameter file_name is required.')
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > MAX_PICTURE_BYTES)
    return invalid(world, 'Param file_length is out of range.')
  if (!['image/jpeg', 'image/png'].includes(type))
    return invalid(world, `Param file_type ${type} is not supported.`)
  const id = `upload:${Buffer.from(world.administration.next('attachment-')).toString('base64')}`
  world.administration.sessions.set(id, { token: call.token ?? '', bytes, type })
  return ok({ id: `${id}?sig=ARsimulated_` })
}

/** Accepts the complete bytes of an upload session. */
export function receiveBytes(world: World, call: Call): Answer {
  const session = world.administration.sessions.get(call.object ?? '')
  const bytes = call.body instanceof Uint8Array ? call.body : new Uint8Array()
  const size = bytes.length
  call.body = { bytes: size }
  if (session === undefined) return rejected(world, unknownObject(call.method, call.object ?? ''))
  if (call.headers['authorization'] !== `OAuth ${session.token}`) return no(world, { code: 190 })
  if (call.headers['file_offset'] !== '0')
    return invalid(world, 'The header file_offset is required.')
  if (size !== session.bytes)
    return invalid(world, `Partial request: ${size} of ${session.bytes} bytes came.`)
  world.administration.sessions.delete(call.object ?? '')
  const handle = `4::${Buffer.from(world.administration.next('handle-')).toString('base64')}`
  world.administration.handles.add(handle)
  if (size <= KEPT_BYTES) world.administration.pictures.set(handle, bytes.slice())
  return ok({ h: handle })
}

/** Returns or sets the public key of a number's Flow endpoint. It must be 2048-bit RSA. */
export function encryption(world: World, call: Call, phone: Phone): Answer {
  if (call.method === 'GET') {
    const key = world.administration.keys.get(phone.id)
    return ok({
      data:
        key === undefined
          ? []
          : [
              {
                business_public_key: key.publicKey,
                business_public_key_signature_status: key.status,
              },
            ],
    })
  }
  const pem = parametersOf(call)['business_public_key']
  if (typeof pem !== 'string' || !isRsa2048(pem))
    return invalid(world, 'Param business_public_key must be a valid 2048-bit RSA public key.')
  world.administration.keys.set(phone.id, {
    publicKey: pem,
    status: phone.flowKeyStatus ?? 'VALID',
  })
  return success
}

function isRsa2048(pem: string): boolean {
  try {
    const key = createPublicKey(pem)
    return (
      key.asymmetricKeyType === 'rsa' &&
      key.asymmetricKeyDetails?.modulusLength === 2048 &&
      pem.includes('BEGIN PUBLIC KEY')
    )
  } catch {
    return false
  }
}
