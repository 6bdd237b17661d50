import { pauseFrom } from '../../lib/retry'
import { CLASS_WORDS, factsOf } from './error-codes'
import type { ErrorWords, RetryClass } from './error-codes'

export type { ErrorWords, RetryClass }

/** What an answer of the platform says about its failure. */
export interface FailureSigns {
  code: number | null
  subcode: number | null
  httpStatus: number | null
}

/**
 * The class of a failure. Only the code decides; the subcode is on its way out at the platform and
 * splits no class. The HTTP status varies between versions and counts only where there is no code:
 * 429 is a quota, 5xx and no answer at all are ambiguous.
 */
export function classify({ code, httpStatus }: FailureSigns): RetryClass {
  if (code !== null) return factsOf(code)?.retryClass ?? 'other'
  if (httpStatus === 429) return 'quota'
  return httpStatus === null || httpStatus >= 500 ? 'ambiguous' : 'other'
}

/** Our words for a failure: by its code where the code is known, else by its class. */
export function describePlatformError(code: number | null, retryClass: RetryClass): ErrorWords {
  const {
    code: word,
    message,
    retryable,
  } = (code === null ? undefined : factsOf(code)) ?? CLASS_WORDS[retryClass]
  return { code: word, message, retryable }
}

/**
 * How a class is retried. `maxCalls` counts the first call too; null = until the message expires.
 * Pauses are in seconds.
 */
export interface RetryPlan {
  maxCalls: number | null
  pausesS: readonly number[]
  /** Whether a pause is drawn from 0 to its value (full jitter) or waited out in full. */
  hasJitter: boolean
}

const NEVER: RetryPlan = { maxCalls: 1, pausesS: [], hasJitter: false }

/**
 * The retry plan of every class. Throughput waits for the number's bucket, credential and account
 * for the account: no pause of their own.
 */
export const RETRY_PLANS: Readonly<Record<RetryClass, RetryPlan>> = {
  again: { maxCalls: 8, pausesS: [2, 5, 15, 60, 300, 900, 900], hasJitter: true },
  throughput: { maxCalls: null, pausesS: [], hasJitter: false },
  pair: { maxCalls: 6, pausesS: [6, 24, 96, 384, 384], hasJitter: false },
  quota: { maxCalls: null, pausesS: [300, 600, 1200, 2400, 3600], hasJitter: false },
  ambiguous: NEVER,
  credential: { maxCalls: null, pausesS: [], hasJitter: false },
  account: { maxCalls: null, pausesS: [], hasJitter: false },
  window: NEVER,
  consent: NEVER,
  cap: NEVER,
  recipient: NEVER,
  content: NEVER,
  other: NEVER,
}

/**
 * Milliseconds until the next call after `calls` calls have failed with this class; null when none
 * is to follow.
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
 * How long to wait before the next call, milliseconds: as long as the platform asks, else as
 * planned. Asked for no time at all, the plan holds.
 */
export const pauseFor = (
  { retryAfterMs }: Pick<PlatformFailure, 'retryAfterMs'>,
  plannedMs: number,
): number => (retryAfterMs === null || retryAfterMs === 0 ? plannedMs : retryAfterMs)

/** The facts of one failed call. */
export interface PlatformFailure {
  /**
   * refused = certainly not done; ambiguous = perhaps done; unreachable = not a byte of the request
   * was sent.
   */
  outcome: 'refused' | 'ambiguous' | 'unreachable'
  platformCode: number | null
  subcode: number | null
  httpStatus: number | null
  retryClass: RetryClass
  /** How long the platform asks us to wait, in milliseconds. */
  retryAfterMs: number | null
  /** The platform's explanation, or the cause word of a broken connection. */
  details: string | null
  traceId: string | null
  platformMessage: string | null
}

/**
 * A call to the platform that did not succeed. Its message is ours and fit for a person; token and
 * request body are in none of its fields.
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
