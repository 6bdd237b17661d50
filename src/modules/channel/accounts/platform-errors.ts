import { InvalidError, UnavailableError } from '../../../lib/errors'
import { describePlatformError, PlatformError } from '../../../platform/client/errors'

/** Retry classes of temporary failures. */
const PASSING = new Set<PlatformError['retryClass']>(['again', 'throughput', 'quota', 'ambiguous'])

/** Whether a failed call is temporary and says nothing about the number. */
export const isTemporary = (error: PlatformError): boolean =>
  error.outcome !== 'refused' || PASSING.has(error.retryClass)

/** Shortest time to wait before another attempt, seconds. */
export const RETRY_AFTER_S = 30

/** Error messages of an administration call. */
export interface FailureMessages {
  unreachable?: string
  rejected: string
  /** An HTTP status that is a rejection even if its code is temporary elsewhere. */
  isFinalAt?: number
}

/**
 * Returns the API error for a failed administration call: 503 `platform_unreachable` for a
 * temporary failure, 400 `platform_rejected` with the platform's code for a rejection, 400 with a
 * code of its own if another responder of a shared number has to do it. Returns other errors
 * unchanged.
 */
export function platformErrorOf(error: unknown, messages: FailureMessages): unknown {
  if (!(error instanceof PlatformError)) return error
  if (
    isTemporary(error) &&
    (error.httpStatus === null || messages.isFinalAt !== error.httpStatus)
  ) {
    const retryAfterS = Math.max(RETRY_AFTER_S, Math.ceil((error.retryAfterMs ?? 0) / 1_000))
    return new UnavailableError(
      messages.unreachable ?? 'The platform could not be reached. Try again in a minute.',
      retryAfterS,
      {
        code: 'platform_unreachable',
      },
    )
  }
  const isRouting = error.retryClass === 'routing'
  return new InvalidError(isRouting ? error.message : messages.rejected, {
    code: isRouting
      ? describePlatformError(error.platformCode, 'routing').code
      : 'platform_rejected',
    details: {
      platform_code: error.platformCode,
      platform_message: error.platformMessage,
      platform_details: error.details,
    },
  })
}

/** The two errors in the form that route definitions use. */
export const PLATFORM_ERRORS = ['400 platform_rejected', '503 platform_unreachable'] as const

/**
 * Awaits an administration call. Throws its failure as {@link platformErrorOf} maps it:
 * InvalidError or UnavailableError.
 */
export async function callPlatform<T>(call: Promise<T>, messages: FailureMessages): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw platformErrorOf(error, messages)
  }
}
