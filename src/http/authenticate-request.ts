import { AppError, ForbiddenError, UnauthorizedError } from '../lib/errors'
import type { Http } from './http-deps'
import type { RequestFacts } from './request-facts'

/**
 * Judges the credential of a request; a bad one is remembered and refused by the guard, so that
 * public routes still work.
 */
export async function authenticateRequest(
  http: Http,
  request: Request,
  facts: RequestFacts,
): Promise<void> {
  facts.judgedAtMs = http.clock.nowMs()
  facts.actor = null
  facts.refusal = null
  try {
    facts.actor = await http.authenticate(request.headers, facts.address)
  } catch (error) {
    if (
      !(
        error instanceof UnauthorizedError ||
        error instanceof ForbiddenError ||
        isBadRequest(error)
      )
    )
      throw error
    facts.refusal = error
  }
}

const isBadRequest = (error: unknown): error is AppError =>
  error instanceof AppError && error.httpStatus < 500

/**
 * So long a judgement of a caller is good, milliseconds; a body that arrived with its headers is
 * read within it.
 */
const GOOD_FOR_MS = 100

/**
 * Judges the caller of a request once more when its body took more than a moment to arrive: rights
 * may have ended meanwhile, and a request is decided by those of the moment in which it is carried
 * out, however slowly it was sent.
 */
export async function reauthenticateRequest(
  http: Http,
  request: Request,
  facts: RequestFacts,
): Promise<void> {
  const tookMs = http.clock.nowMs() - facts.judgedAtMs
  // below zero the clock was set back
  if (tookMs < 0 || tookMs > GOOD_FOR_MS) await authenticateRequest(http, request, facts)
}
