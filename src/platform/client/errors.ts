import { pauseFrom } from '../../lib/retry'
import type { Fault } from '../webhook/parts'
import { codeFacts } from './error-codes'
import { CLASS_DESCRIPTIONS } from './error-classes'
import type { ErrorDescription, RetryClass } from './error-classes'

export type { RetryClass }

/** The parts of an error response that classify it. */
export interface FailureCodes {
  code: number | null
  subcode: number | null
  httpStatus: number | null
  /** What the platform says about it. */
  text?: string | null | undefined
}

/** The field that the platform will require of some numbers. It has announced no code for that. */
const MESSAGING_ACCOUNT = /\bmessaging_account_id\b/

/**
 * Returns the class of a failure. The code decides; subcodes are deprecated by the platform. Of a
 * refusal without a class of its own, the text tells whether the messaging account is wrong. Without
 * a code the HTTP status counts: 429 is a quota; 5xx and no response are ambiguous.
 */
export function classify({ code, httpStatus, text }: FailureCodes): RetryClass {
  const byCode =
    code === null ? classOfStatus(httpStatus) : (codeFacts(code)?.retryClass ?? 'other')
  const isOpen = byCode === 'content' || byCode === 'other'
  return isOpen && MESSAGING_ACCOUNT.test(text ?? '') ? 'messaging_account' : byCode
}

function classOfStatus(httpStatus: number | null): RetryClass {
  if (httpStatus === 429) return 'quota'
  return httpStatus === null || httpStatus >= 500 ? 'ambiguous' : 'other'
}

/** Returns the class of an error that a webhook reports. */
export const classifyFault = ({ code, title, message, details }: Fault): RetryClass =>
  code === null
    ? 'other'
    : classify({ code, subcode: null, httpStatus: null, text: `${title} ${message} ${details}` })

/** Reports whether nothing can be sent from the number until a person has done something. */
export const stopsNumber = (retryClass: RetryClass): boolean =>
  ['credential', 'account', 'messaging_account'].includes(retryClass)

/** Returns the description of a failure: by its code if that has this class, otherwise by its class. */
export function describePlatformError(
  platformCode: number | null,
  retryClass: RetryClass,
): ErrorDescription {
  const known = platformCode === null ? undefined : codeFacts(platformCode)
  const facts = known?.retryClass === retryClass ? known : CLASS_DESCRIPTIONS[retryClass]
  const { code, message, retryable } = facts
  return { code, message, retryable }
}

/**
 * Retry plan of a class. `maxCalls` includes the first call; `null` retries until the message
 * expires. Pauses are in seconds.
 */
export interface RetryPlan {
  maxCalls: number | null
  pausesS: readonly number[]
  /** Whether a pause is drawn between 0 and its value (full jitter). */
  hasJitter: boolean
}

const NEVER: RetryPlan = { maxCalls: 1, pausesS: [], hasJitter: false }

/**
 * Retry plan of every class. Throughput failures wait for the number's rate limiter, credential and
 * account failures for the account, payment failures for a payment method, so they have no pauses
 * here. Templates are prepared within ten minutes.
 */
export const RETRY_PLANS: Readonly<Record<RetryClass, RetryPlan>> = {
  again: { maxCalls: 8, pausesS: [2, 5, 15, 60, 300, 900, 900], hasJitter: true },
  throughput: { maxCalls: null, pausesS: [], hasJitter: false },
  pair: { maxCalls: 6, pausesS: [6, 24, 96, 384, 384], hasJitter: false },
  quota: { maxCalls: null, pausesS: [300, 600, 1200, 2400, 3600], hasJitter: false },
  syncing: { maxCalls: null, pausesS: [600], hasJitter: false },
  ambiguous: NEVER,
  credential: { maxCalls: null, pausesS: [], hasJitter: false },
  account: { maxCalls: null, pausesS: [], hasJitter: false },
  payment: { maxCalls: null, pausesS: [], hasJitter: false },
  messaging_account: { maxCalls: null, pausesS: [], hasJitter: false },
  window: NEVER,
  consent: NEVER,
  cap: NEVER,
  recipient: NEVER,
  content: NEVER,
  routing: NEVER,
  other: NEVER,
}

/**
 * Returns the pause in milliseconds after `calls` failed calls of this class, or `null` if no retry
 * follows.
 */
export function pauseAfter(
  retryClass: RetryClass,
  calls: number,
  random: () => number,
): number | null {
  const { maxCalls, pausesS, hasJitter } = RETRY_PLANS[retryClass]
  if (maxCalls !== null && calls >= maxCalls) return null
  return pauseFrom(pausesS, calls, hasJitter ? random : () => 1)
}

/**
 * Returns the pause before the next call in milliseconds: the platform's `Retry-After` if it is
 * above zero, otherwise the planned pause.
 */
export const nextPauseMs = (
  { retryAfterMs }: Pick<PlatformFailure, 'retryAfterMs'>,
  plannedMs: number,
): number => (retryAfterMs === null || retryAfterMs === 0 ? plannedMs : retryAfterMs)

/** The facts of one failed call. */
export interface PlatformFailure {
  /**
   * refused: not executed; ambiguous: possibly executed; unreachable: no byte of the request was
   * sent.
   */
  outcome: 'refused' | 'ambiguous' | 'unreachable'
  platformCode: number | null
  subcode: number | null
  httpStatus: number | null
  retryClass: RetryClass
  /** Pause requested by the platform, in milliseconds. */
  retryAfterMs: number | null
  /** The platform's explanation, or the cause of a connection failure. */
  details: string | null
  traceId: string | null
  platformMessage: string | null
}

/**
 * A failed call to the platform. Its message is for people. No field contains the token or the
 * request body.
 */
export class PlatformError extends Error implements PlatformFailure {
  readonly outcome: PlatformFailure['outcome']
  readonly platformCode: number | null
  readonly subcode: number | null
  readonly httpStatus: number | null
  readonly retryClass: RetryClass
  readonly retryAfterMs: number | null
  readonly details: string | null
  readonly traceId: string | null
  readonly platformMessage: string | null

  constructor(failure: PlatformFailure) {
    super(describePlatformError(failure.platformCode, failure.retryClass).message)
    this.name = 'PlatformError'
    this.outcome = failure.outcome
    this.platformCode = failure.platformCode
    this.subcode = failure.subcode
    this.httpStatus = failure.httpStatus
    this.retryClass = failure.retryClass
    this.retryAfterMs = failure.retryAfterMs
    this.details = failure.details
    this.traceId = failure.traceId
    this.platformMessage = failure.platformMessage
  }
}
