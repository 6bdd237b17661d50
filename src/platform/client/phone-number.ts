import { isObject, listOf, numberOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { canSendOf, type CanSend } from './can-send'

/** Fields requested for a phone number. */
export const PHONE_NUMBER_FIELDS = [
  'id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'status',
  'name_status',
  'code_verification_status',
  'account_mode',
  'platform_type',
  'throughput',
  'whatsapp_business_manager_messaging_limit',
  'is_official_business_account',
  'is_pin_enabled',
  'is_on_biz_app',
  'health_status',
  'webhook_configuration',
] as const

/** A reason that prevents or limits sending. */
export interface HealthProblem {
  /** PHONE_NUMBER, WABA, BUSINESS, APP, … */
  entityType: string | null
  code: number | null
  description: string | null
  solution: string | null
  /** Whether the payment method of the business account is the reason. */
  isPayment: boolean
}

/** Facts about a phone number. The values are open enums: unknown ones are passed through. */
export interface PhoneNumberFacts {
  id: string
  displayPhoneNumber: string | null
  verifiedName: string | null
  /** GREEN, YELLOW, RED, UNKNOWN */
  qualityRating: string | null
  /** CONNECTED, PENDING, FLAGGED, RESTRICTED, BANNED, … */
  status: string | null
  nameStatus: string | null
  /** VERIFIED, NOT_VERIFIED, EXPIRED */
  codeVerificationStatus: string | null
  /** LIVE, SANDBOX */
  accountMode: string | null
  platformType: string | null
  /** STANDARD, HIGH, NOT_APPLICABLE */
  throughputLevel: string | null
  /** TIER_250, TIER_2K, … */
  messagingLimitTier: string | null
  isOfficialBusinessAccount: boolean | null
  isPinEnabled: boolean | null
  /** Whether the number is also used in the WhatsApp Business app, which limits its throughput. */
  isOnBizApp: boolean | null
  /** AVAILABLE, LIMITED, BLOCKED */
  canSendMessage: CanSend | null
  healthProblems: HealthProblem[]
  /** Whether nothing but a missing payment method blocks sending. Replies may still be free. */
  isBlockedForPayment: boolean
  /** The number's own webhook URL, if it differs from the app's. */
  callbackUrl: string | null
}

/**
 * Reads a phone number. Missing or malformed fields are `null`; without an ID the result is `null`.
 */
export function readPhoneNumber(response: JsonObject): PhoneNumberFacts | null {
  const id = wordOf(response.id)
  const health = objectOf(response.health_status)
  const entities = listOf(health.entities).filter(isObject)
  if (id === null) return null
  return {
    id,
    displayPhoneNumber: wordOf(response.display_phone_number),
    verifiedName: wordOf(response.verified_name),
    qualityRating: wordOf(response.quality_rating),
    status: wordOf(response.status),
    nameStatus: wordOf(response.name_status),
    codeVerificationStatus: wordOf(response.code_verification_status),
    accountMode: wordOf(response.account_mode),
    platformType: wordOf(response.platform_type),
    throughputLevel: wordOf(objectOf(response.throughput).level) ?? wordOf(response.throughput),
    messagingLimitTier: wordOf(response.whatsapp_business_manager_messaging_limit),
    isOfficialBusinessAccount: booleanOrNull(response.is_official_business_account),
    isPinEnabled: booleanOrNull(response.is_pin_enabled),
    isOnBizApp: booleanOrNull(response.is_on_biz_app),
    canSendMessage: canSendOf(health),
    healthProblems: entities.flatMap(problemsOf),
    isBlockedForPayment: isBlockedForPayment(entities),
    callbackUrl: wordOf(objectOf(response.webhook_configuration).phone_number),
  }
}

/** Statuses of a number that is not registered for sending. */
const UNREGISTERED = new Set(['PENDING', 'DISCONNECTED', 'UNVERIFIED'])

/** Whether a number is registered for sending; `null` if the platform does not say. */
export const isRegistered = ({ status }: Pick<PhoneNumberFacts, 'status'>): boolean | null =>
  status === null ? null : !UNREGISTERED.has(status)

/**
 * Whether a number must be verified with a code before it can be registered. A number of the
 * WhatsApp Business app was verified there.
 */
export const needsVerification = (facts: PhoneNumberFacts): boolean =>
  facts.codeVerificationStatus !== null &&
  facts.codeVerificationStatus !== 'VERIFIED' &&
  facts.isOnBizApp !== true &&
  isRegistered(facts) !== true

function problemsOf(entity: JsonObject): HealthProblem[] {
  return listOf(entity.errors)
    .filter(isObject)
    .map((error) => {
      const code = numberOf(error.error_code)
      const description = wordOf(error.error_description)
      return {
        entityType: wordOf(entity.entity_type),
        code,
        description,
        solution: wordOf(error.possible_solution),
        isPayment: code === PAYMENT_PROBLEM || PAYMENT_WORDS.test(description ?? ''),
      }
    })
}

/** The problem of a missing or invalid payment method in the platform's example of `health_status`. */
const PAYMENT_PROBLEM = 141_006

/** Words of descriptions under other codes, which are not documented. */
const PAYMENT_WORDS = /\bpayment method\b|\bbilling\b|\bcredit line\b/i

function isBlockedForPayment(entities: readonly JsonObject[]): boolean {
  const blocked = entities.filter((entity) => canSendOf(entity) === 'BLOCKED').map(problemsOf)
  return (
    blocked.length > 0 &&
    blocked.every((problems) => problems.length > 0 && problems.every(({ isPayment }) => isPayment))
  )
}

function booleanOrNull(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}
