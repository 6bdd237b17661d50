import { UnauthorizedError } from '../lib/errors'
import { DAY_MS } from '../lib/clock'
import type { Http } from './http-deps'
import { isOwnOrigin } from './own-origin'

/** The cookies of a signed-in browser: the name of each, and the only path it is sent to. */
const REFRESH = { name: 'swb_refresh', path: '/api/auth' }
const MEDIA = { name: 'swb_media', path: '/api/media' }

interface Answering {
  headers: { 'set-cookie'?: string | string[] }
}

/** Tokens of a sign-in before they are divided into body and cookies. */
interface SignInTokens {
  refresh_token: string
  media_cookie: string
}

const written = (
  http: Http,
  { name, path }: typeof REFRESH,
  { value, maxAgeS }: { value: string; maxAgeS: number },
): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(http.settings.baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/**
 * Hands out tokens: both in the body, or with `use_cookie` the refresh token as a cookie that only
 * refresh and logout read, and another cookie with which pages show media files.
 */
export function setSignInCookies<T extends SignInTokens>(
  http: Http,
  set: Answering,
  { refresh_token, media_cookie, ...tokens }: T,
  usesCookie: boolean | undefined,
): Omit<T, 'refresh_token' | 'media_cookie'> & { refresh_token: string | null } {
  if (!usesCookie) return { ...tokens, refresh_token }
  const maxAgeS = (http.settings.refreshTokenDays * DAY_MS) / 1_000
  set.headers['set-cookie'] = [
    written(http, REFRESH, { value: refresh_token, maxAgeS }),
    written(http, MEDIA, { value: media_cookie, maxAgeS }),
  ]
  return { ...tokens, refresh_token: null }
}

/** The value of the cookie with which a page shows media files, or `null`. */
export const mediaCookieOf = (request: Request): string | null =>
  new Bun.CookieMap(request.headers.get('cookie') ?? '').get(MEDIA.name)

/**
 * The refresh token in the cookie, of requests with a JSON body from a page of this server itself;
 * `null` of all others.
 */
export function cookieToken(http: Http, request: Request): string | null {
  const { headers } = request
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')) return null
  if (!isOwnOrigin(http.settings, request)) return null
  return new Bun.CookieMap(headers.get('cookie') ?? '').get(REFRESH.name)
}

/** Deletes the cookies. */
export function clearCookies(http: Http, set: Answering): void {
  const gone = { value: '', maxAgeS: 0 }
  set.headers['set-cookie'] = [written(http, REFRESH, gone), written(http, MEDIA, gone)]
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
    '`refresh_token` is missing, and the request has no sign-in cookie. Sign in.',
    { code: 'no_session' },
  )
}
