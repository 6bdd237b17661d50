import { InvalidError, UnavailableError } from '../../lib/errors'
import { PlatformError } from '../../platform/client/errors'

/** Classes of failures that pass by themselves. */
const PASSING = new Set<PlatformError['retryClass']>(['again', 'throughput', 'quota', 'ambiguous'])

/**
 * Whether a failed call says nothing about the number: the platform could not be asked, or takes no
 * questions now.
 */
export const isPassing = (error: PlatformError): boolean =>
  error.outcome !== 'refused' || PASSING.has(error.retryClass)

/** Shortest time after which asking again is worth it, seconds. */
export const RETRY_AFTER_S = 30

/** The words for either kind of failure. */
export interface Sayings {
  unreachable?: string
  rejected: string
  /** The HTTP status that means no, whatever the code beside it means elsewhere. */
  isFinalAt?: number
}

/**
 * What a failed call of administration means to whoever asked for it: 503 `platform_unreachable`
 * when it may work later, 400 `platform_rejected` with the platform's code when it said no.
 * Anything else stays what it is.
 */
export function platformErrorOf(error: unknown, says: Sayings): unknown {
  if (!(error instanceof PlatformError)) return error
  if (isPassing(error) && (error.httpStatus === null || says.isFinalAt !== error.httpStatus)) {
    const retryAfterS = Math.max(RETRY_AFTER_S, Math.ceil((error.retryAfterMs ?? 0) / 1_000))
    return new UnavailableError(
      says.unreachable ?? 'The platform could not be reached. Try again in a minute.',
      retryAfterS,
      {
        code: 'platform_unreachable',
      },
    )
  }
  return new InvalidError(says.rejected, {
    code: 'platform_rejected',
    details: {
      platform_code: error.platformCode,
      platform_message: error.platformMessage,
      platform_details: error.details,
    },
  })
}

/** The same, as routes that ask the platform document it. */
export const PLATFORM_ERRORS = ['400 platform_rejected', '503 platform_unreachable'] as const

/**
 * Makes a call of administration; its failure is told as {@link platformErrorOf} says. Throws
 * InvalidError and UnavailableError.
 */
export async function asked<T>(call: Promise<T>, says: Sayings): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw platformErrorOf(error, says)
  }
}
