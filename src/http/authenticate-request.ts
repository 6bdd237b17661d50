import { AppError, ForbiddenError, UnauthorizedError } from '../lib/errors'
import type { Actor } from '../infra/actor'
import type { Http } from './http-deps'
import { mediaCookieOf } from './sign-in-cookies'
import type { RequestFacts } from './request-facts'

/**
 * Authenticates a request. A rejected credential is recorded and the guard throws it later, so
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
    facts.actor =
      (await http.authenticate(request.headers, facts.address)) ??
      actorOfMediaCookie(http, request, facts)
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

/** The ID of a file in the path of a request that shows it. */
const MEDIA_PATH = /^\/api\/media\/([^/]+)(?:\/thumbnail)?$/

/**
 * Returns the user of the media cookie, which counts only where a page shows a file; otherwise
 * `null`.
 */
function actorOfMediaCookie(http: Http, request: Request, { path }: RequestFacts): Actor | null {
  const fileId = request.method === 'GET' ? MEDIA_PATH.exec(path)?.[1] : undefined
  const cookie = fileId === undefined ? null : mediaCookieOf(request)
  return cookie === null ? null : http.authenticateMedia(cookie, fileId ?? '')
}

const isBadRequest = (error: unknown): error is AppError =>
  error instanceof AppError && error.httpStatus < 500

/**
 * How long an authentication stays valid before the body is read, milliseconds. Bodies that arrive
 * with their headers are read within it.
 */
const VALID_FOR_MS = 100

/**
 * Authenticates a request again if its body took longer than 100 ms to arrive, because permissions
 * may have changed. A request runs with the permissions at the time it runs.
 */
export async function reauthenticateRequest(
  http: Http,
  request: Request,
  facts: RequestFacts,
): Promise<void> {
  const tookMs = http.clock.nowMs() - facts.judgedAtMs
  // negative if the clock was set back
  if (tookMs < 0 || tookMs > VALID_FOR_MS) await authenticateRequest(http, request, facts)
}
