import type { Phone } from './accounts'
import type { Call } from './calls'
import { digitsOf } from './checks'
import { bookEntry, history, historyDeclined } from './coexistence'
import { refusal } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import type { Webhook } from './payloads'
import { businessNumberOf, deliver, seconds, type Changed, type World } from './world'

/** The code that verifies every number. */
export const SIMULATED_CODE = '135790'

/** The platform hands the data of a phone app over within this time. */
const REQUESTABLE_MS = 24 * 60 * 60 * 1000

const ok = (body: unknown): Answer => ({ status: 200, body })
const success = ok({ success: true })
const invalid = (world: World, message: string): Answer =>
  rejected(world, refusal({ code: 100, message: `(#100) ${message}` }))

/** Returns the parameters of a call, or the refusal of one that is missing or unknown. */
function exactly(
  world: World,
  call: Call,
  names: readonly string[],
): { asked: Record<string, string> } | { refused: Answer } {
  const asked = parametersOf(call)
  const unknown = Object.keys(asked).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return { refused: invalid(world, `Unexpected key "${unknown}" on param.`) }
  const missing = names.find((name) => typeof asked[name] !== 'string' || asked[name] === '')
  return missing === undefined
    ? { asked: asked as Record<string, string> }
    : { refused: invalid(world, `The parameter ${missing} is required.`) }
}

/** `POST /{waba}/phone_numbers`: adds a number, which is not verified. */
export function addPhoneNumber(world: World, call: Call): Answer {
  const read = exactly(world, call, ['cc', 'phone_number', 'verified_name'])
  if ('refused' in read) return read.refused
  const { cc = '', phone_number: national = '', verified_name: verifiedName = '' } = read.asked
  if (!/^\d{1,3}$/.test(cc) || !/^\d{4,14}$/.test(national))
    return invalid(world, 'Param phone_number is not a valid phone number.')
  const display = `+${cc} ${national}`
  if (world.accounts.phones.some((phone) => digitsOf(phone.displayPhoneNumber) === cc + national))
    return invalid(world, 'This phone number is already in use.')
  const business = world.accounts.business(call.object ?? '')
  const { id } = world.accounts.add({
    ...(business === undefined
      ? {}
      : {
          wabaId: business.wabaId,
          token: business.token,
          tokenExpiresAt: business.tokenExpiresAt,
          portfolioId: business.portfolioId,
          businessVerification: business.businessVerification,
        }),
    displayPhoneNumber: display,
    verifiedName,
    status: 'PENDING',
    codeVerificationStatus: 'NOT_VERIFIED',
  })
  return ok({ id })
}

/** `POST /{phone}/request_code`: sends `SIMULATED_CODE`, by SMS or by a call. */
export function requestCode(world: World, call: Call, phone: Phone): Answer {
  const read = exactly(world, call, ['code_method', 'language'])
  if ('refused' in read) return read.refused
  const { code_method: method, language = '' } = read.asked
  if (method !== 'SMS' && method !== 'VOICE')
    return invalid(world, 'Param code_method must be one of {SMS, VOICE}.')
  if (!/^[a-z]{2,3}(?:_[A-Z]{2})?$/.test(language))
    return invalid(world, 'Param language is not a valid language.')
  if (phone.codeVerificationStatus === 'VERIFIED')
    return rejected(world, refusal({ code: 136_024 }))
  world.administration.codesSent.add(phone.id)
  return success
}

/** `POST /{phone}/verify_code`: verifies a number to which a code was sent. */
export function verifyCode(world: World, call: Call, phone: Phone): Answer {
  const read = exactly(world, call, ['code'])
  if ('refused' in read) return read.refused
  const isRight =
    read.asked['code'] === SIMULATED_CODE && world.administration.codesSent.has(phone.id)
  if (!isRight || phone.codeVerificationStatus === 'VERIFIED')
    return rejected(world, refusal({ code: 136_025, subcode: 2_388_093 }))
  world.accounts.add({ id: phone.id, codeVerificationStatus: 'VERIFIED' })
  return success
}

/** `POST /{phone}/smb_app_data`: sends contacts or history of the phone app by webhooks, once each. */
export function phoneAppData(world: World, call: Call, phone: Phone, changed: Changed): Answer {
  const read = exactly(world, call, ['messaging_product', 'sync_type'])
  if ('refused' in read) return read.refused
  const { sync_type: type = '' } = read.asked
  if (type !== 'history' && type !== 'smb_app_state_sync')
    return invalid(world, 'Param sync_type must be one of {smb_app_state_sync, history}.')
  if (!phone.isOnBizApp)
    return invalid(world, 'The number is not used in the WhatsApp Business app.')
  const { connectedAtMs = world.nowMs(), declines } = phone.phoneApp ?? {}
  const handedOver = world.administration.handedOver
  if (handedOver.has(`${phone.id} ${type}`)) return rejected(world, refusal({ code: 2_593_107 }))
  if (world.nowMs() >= connectedAtMs + REQUESTABLE_MS)
    return rejected(world, refusal({ code: 2_593_108 }))
  if (type === 'history' && declines === 'answer')
    return rejected(world, refusal({ code: 2_593_109 }))
  handedOver.add(`${phone.id} ${type}`)
  // what is sent while nobody is subscribed is lost, and it is not sent again
  if (world.accounts.subscription(phone.wabaId) !== undefined)
    for (const webhook of type === 'history' ? chatsOf(phone) : contactsOf(world, phone))
      deliver(world, phone, webhook).catch(changed)
  return ok({ messaging_product: 'whatsapp', request_id: world.administration.next('sync-') })
}

const ANA = { waId: '15550109901', name: 'Ana Sol' }

const contactsOf = (world: World, phone: Phone): Webhook[] => [
  bookEntry(ANA.waId, ANA.name, { line: businessNumberOf(phone), timestamp: seconds(world) }),
]

function chatsOf(phone: Phone): Webhook[] {
  const line = businessNumberOf(phone)
  if (phone.phoneApp?.declines === 'webhook') return [historyDeclined({ line })]
  const parts = phone.phoneApp?.parts ?? [
    {
      progress: 100,
      items: [
        {
          id: `wamid.past-1-${phone.id}`,
          timestamp: 1_780_000_000,
          body: 'Are you open on Sunday?',
        },
        {
          id: `wamid.past-2-${phone.id}`,
          timestamp: 1_780_000_060,
          body: 'Yes, from 8.',
          isOurs: true,
        },
      ],
    },
  ]
  return parts.map(({ progress, items }) => history(ANA, items, { line, progress }))
}
