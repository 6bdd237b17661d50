import { wordOf } from '../lenient-json'
import {
  ofBusiness,
  ofNumber,
  requireSuccess,
  unexpectedResponse,
  type BusinessAccess,
  type CallGraph,
  type NumberAccess,
} from './graph-request'

/** What the WhatsApp Business app of a phone hands over: its address book or its chats. */
export type PhoneAppData = 'contacts' | 'history'

const SYNC_TYPES = { contacts: 'smb_app_state_sync', history: 'history' } as const

/**
 * The platform's answers to a request for data of the phone app that say how it stands: it was
 * requested before, more than 24 hours have passed, or the person did not share it.
 */
export const PHONE_APP_ANSWERS: ReadonlyMap<number, 'requested' | 'missed' | 'declined'> = new Map([
  [2_593_107, 'requested'],
  [2_593_108, 'missed'],
  [2_593_109, 'declined'],
])

/** The platform's error code for a number that must be verified before it is registered. */
export const NOT_VERIFIED_CODE = 133_006

/** A number that a business gets at the platform. */
export interface NewPhoneNumber {
  /** Country calling code, such as `49`. */
  callingCode: string
  /** Digits after the country calling code. */
  nationalNumber: string
  /** The name that customers see. The platform reviews it. */
  verifiedName: string
}

/** Calls that make a number ready to send. Each throws PlatformError. */
export interface Onboarding {
  /** Adds a phone number to a business account. It is not verified yet. Returns its ID. */
  addPhoneNumber(call: BusinessAccess & { number: NewPhoneNumber }): Promise<string>
  /** Has a code sent to a number that is not verified, by SMS or by a call. */
  requestCode(call: NumberAccess & { method: 'sms' | 'voice'; language: string }): Promise<void>
  /** Verifies a number with the code that was sent to it. */
  verifyCode(call: NumberAccess & { code: string }): Promise<void>
  /**
   * Has data of the WhatsApp Business app sent by webhooks. Each kind can be requested once, within
   * 24 hours after the number was connected; see `PHONE_APP_ANSWERS`.
   */
  requestPhoneAppData(call: NumberAccess & { data: PhoneAppData }): Promise<void>
}

/** Builds the calls that make a number ready to send. */
export const onboardingCalls = (callGraph: CallGraph): Onboarding => ({
  async addPhoneNumber({ number, ...call }) {
    const payload = {
      cc: number.callingCode,
      phone_number: number.nationalNumber,
      verified_name: number.verifiedName,
    }
    const response = await callGraph({ ...ofBusiness(call), path: '/phone_numbers', payload })
    const id = wordOf(response.id)
    if (id === null) throw unexpectedResponse('no_id')
    return id
  },
  async requestCode({ method, language, ...call }) {
    const payload = { code_method: method.toUpperCase(), language }
    requireSuccess(await callGraph({ ...ofNumber(call), path: '/request_code', payload }))
  },
  async verifyCode({ code, ...call }) {
    const payload = { code }
    requireSuccess(
      await callGraph({ ...ofNumber(call), path: '/verify_code', payload, secrets: [code] }),
    )
  },
  async requestPhoneAppData({ data, ...call }) {
    const payload = { messaging_product: 'whatsapp', sync_type: SYNC_TYPES[data] }
    await callGraph({ ...ofNumber(call), path: '/smb_app_data', payload })
  },
})
