import type { Http } from './http-deps'
import { rateLimitHeaders } from './count-request'
import type { RequestFacts } from './request-facts'
import { isPlatformPath } from './platform-paths'
import { isUnder } from './request-path'

/**
 * Browser features that the server disables (W3C, Permissions Policy). The page of the console
 * enables the few it uses.
 */
export const DISABLED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

export const CONSTANT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'permissions-policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replay'

/** Headers of every response, including HSTS if the base URL is HTTPS. */
export const constantHeaders = (baseUrl: string): Record<string, string> => ({
  ...CONSTANT_HEADERS,
  ...(baseUrl.startsWith('https:')
    ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
    : {}),
})

/** CORS headers for an allowed origin; `null` for other origins and requests without one. */
export function corsHeaders(http: Http, request: Request): Record<string, string> | null {
  const origin = request.headers.get('origin')
  if (origin === null || !http.settings.corsOrigins.includes(origin)) return null
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers': EXPOSED,
  }
}

export const CROSS_ORIGIN_RESOURCE = { 'cross-origin-resource-policy': 'cross-origin' }

/** Returns the headers of a response created outside the framework. */
export function headersOf(
  http: Http,
  request: Request,
  facts: RequestFacts,
): Record<string, string> {
  const base = { ...constantHeaders(http.settings.baseUrl), 'x-request-id': facts.id }
  if (!isUnder('/api', facts.path)) return base
  const allowed = corsHeaders(http, request)
  return {
    ...base,
    'cache-control': 'no-store',
    ...(isPlatformPath(facts.path) ? {} : rateLimitHeaders(http.limiters, facts)),
    ...(allowed ? { ...allowed, ...CROSS_ORIGIN_RESOURCE } : {}),
  }
}
