import type { Report } from './input-problems'

/** Shown instead of the value of a header. Sent back, it keeps the stored value. */
const HIDDEN_VALUE = '***'

const MAX_HEADERS = 20

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

const HEADER_VALUE = /^[\x20-\x7e]{0,1024}$/

const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-(?!type$).*|user-agent|accept-encoding|webhook-.*)$/i

/** Headers of a request that users configure, and where they are in the body. */
interface GivenHeaders {
  path: string
  given: unknown
  /** The stored headers. */
  held: Readonly<Record<string, string>>
  /** Names that the server sets itself, besides those of the protocol. */
  reserved?: RegExp
}

/**
 * Returns the custom headers of a configured request; a masked value keeps the stored one, and
 * omitted headers stay as they are. Reports every header that cannot be set.
 */
export function readHeaders(
  report: Report,
  { path, given, held, reserved = /^$/ }: GivenHeaders,
): Record<string, string> {
  if (given === undefined) return { ...held }
  if (
    typeof given !== 'object' ||
    given === null ||
    Array.isArray(given) ||
    Object.keys(given).length > MAX_HEADERS
  ) {
    report(path, `must be an object with up to ${MAX_HEADERS} headers`)
    return {}
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const kept: unknown = value === HIDDEN_VALUE ? held[name] : value
      if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name) || reserved.test(name))
        report(`${path}.${name}`, 'is not a header that can be set')
      else if (typeof kept !== 'string' || !HEADER_VALUE.test(kept))
        report(`${path}.${name}`, 'must be a string of up to 1024 visible characters')
      return [name, String(kept)]
    }),
  )
}

/** Returns headers as answers show them: names without values. */
export const hiddenHeaders = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, HIDDEN_VALUE]))
