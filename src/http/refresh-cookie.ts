import { UnauthorizedError } from '../lib/errors'
import { DAY_MS } from '../lib/clock'
import type { Http } from './http-deps'
import { isOwnOrigin } from './own-origin'

const NAME = 'swb_refresh'
const PATH = '/api/auth'

interface Answering {
  headers: Record<string, unknown>
}

const written = (http: Http, value: string, maxAgeS: number): string =>
  [
    `${NAME}=${value}`,
    `Path=${PATH}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(http.settings.baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/**
 * Hands out tokens: both in the body, or with `use_cookie` the refresh token as a cookie that only
 * refresh and logout read.
 */
export function setRefreshCookie<T extends { refresh_token: string }>(
  http: Http,
  set: Answering,
  tokens: T,
  usesCookie: boolean | undefined,
): Omit<T, 'refresh_token'> & { refresh_token: string | null } {
  if (!usesCookie) return tokens
  set.headers['set-cookie'] = written(
    http,
    tokens.refresh_token,
    (http.settings.refreshTokenDays * DAY_MS) / 1_000,
  )
  return { ...tokens, refresh_token: null }
}

/**
 * The refresh token in the cookie, of requests with a JSON body from a page of this server itself;
 * `null` of all others.
 */
export function cookieToken(http: Http, request: Request): string | null {
  const { headers } = request
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')) return null
  if (!isOwnOrigin(http.settings, request)) return null
  return new Bun.CookieMap(headers.get('cookie') ?? '').get(NAME)
}

/** Deletes the cookie. */
export function clearCookie(http: Http, set: Answering): void {
  set.headers['set-cookie'] = written(http, '', 0)
}

/**
 * Returns the refresh token of a request, from the body or the cookie. Throws UnauthorizedError
 * `no_session` if there is none.
 */
export function requireRefreshToken(
  http: Http,
  request: Request,
  inBody: string | undefined,
): string {
  const token = inBody ?? cookieToken(http, request)
  if (token !== null && token !== '') return token
  throw new UnauthorizedError(
    'Nobody is signed in: the request has neither `refresh_token` nor the cookie. Sign in.',
    { code: 'no_session' },
  )
}
