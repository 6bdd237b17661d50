import type { Report } from './input-problems'

/** Shown instead of the value of a header. Sent back, it keeps the stored value. */
export const HIDDEN_VALUE = '***'

const MAX_HEADERS = 20

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

const HEADER_VALUE = /^[\x20-\x7e]{0,1024}$/

const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-(?!type$).*|user-agent|accept-encoding|webhook-.*)$/i

/** Stored headers, and the URL that they were given for. */
export interface HeldHeaders {
  url: string
  values: Readonly<Record<string, string>>
}

/** Headers of a request that users configure, and where they are in the body. */
interface GivenHeaders {
  path: string
  given: unknown
  /** The URL of the request. */
  url: string
  /** The stored headers; `null` if there are none. */
  held: HeldHeaders | null
  /** Names that the server sets itself, besides those of the protocol. */
  reserved?: RegExp
}

/** Whether the client that sends requests sets a header itself. */
export const isReservedHeader = (name: string): boolean => RESERVED_HEADER.test(name)

/** The problem of a header whose stored value was given for another address. */
export const MOVED_HEADER = 'must be sent again, because `url` leads to another host'

/**
 * Whether two URLs lead to the same scheme, host and port. A stored header is sent to no other:
 * otherwise a person who may change the URL, but not read the header, could learn its value by
 * entering the address of their own server.
 */
export function isSameOrigin(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return a === b
  return new URL(a).origin === new URL(b).origin
}

/**
 * Returns the custom headers of a configured request; a masked value keeps the stored one, and
 * omitted headers stay as they are, both only while the URL leads to the same host. Reports every
 * header that cannot be set.
 */
export function readHeaders(
  report: Report,
  { path, given, url, held, reserved = /^$/ }: GivenHeaders,
): Record<string, string> {
  const values = held?.values ?? {}
  const isMoved = held !== null && !isSameOrigin(held.url, url)
  if (given === undefined) {
    if (isMoved && Object.keys(values).length > 0) report(path, MOVED_HEADER)
    return { ...values }
  }
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
      const kept: unknown = value === HIDDEN_VALUE ? values[name] : value
      if (value === HIDDEN_VALUE && kept !== undefined && isMoved)
        report(`${path}.${name}`, MOVED_HEADER)
      else if (!HEADER_NAME.test(name) || RESERVED_HEADER.test(name) || reserved.test(name))
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
