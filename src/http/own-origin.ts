import type { Settings } from '../infra/settings'

/**
 * Whether the `Origin` of a request is this server: `BASE_URL`, an origin in `CORS_ORIGINS`, or one
 * with the `Host` of the request itself. Pages cannot choose either header, so another site never
 * matches. `false` without an `Origin`.
 */
export function isOwnOrigin(
  settings: Pick<Settings, 'baseUrl' | 'corsOrigins'>,
  { headers }: Request,
): boolean {
  const origin = headers.get('origin')
  return (
    origin !== null &&
    (origin === new URL(settings.baseUrl).origin ||
      settings.corsOrigins.includes(origin) ||
      hasHost(origin, headers.get('host')))
  )
}

/** Whether an origin is a web address on a host. The default port may be named or left out. */
function hasHost(origin: string, host: string | null): boolean {
  const parsed = URL.parse(origin)
  if (host === null || parsed?.origin !== origin || !/^https?:$/.test(parsed.protocol)) return false
  return URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}
