import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'

/** Maximum size of the body of a request, bytes. Longer texts are cut. */
export const MAX_BODY_BYTES = 20 * 1024

/** Maximum number of endpoints of an organization. */
export const MAX_ENDPOINTS = 20

/** Pauses before the second and later attempts of a delivery (webhooks-out 4). */
const RETRY_PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** Largest share of a pause that is added at random. */
const JITTER = 0.1

/** A delivery that waits for its endpoint and is older ends as `exhausted`. */
export const MAX_AGE_MS = 75 * HOUR_MS

/**
 * A delivery is not tried again this long after its first failure. The schedule takes at most 83
 * hours; what takes longer waits as its receiver asked, or for a server that was off.
 */
const MAX_RETRIED_MS = 4 * DAY_MS

/** For this long after an endpoint was disabled its events are stored as missed. */
export const MISSED_KEPT_MS = 7 * DAY_MS

/** Payloads are kept for this long after their delivery ended. */
export const PAYLOAD_KEPT_MS = 7 * DAY_MS

/** Deliveries are kept for this long. */
export const DELIVERY_KEPT_MS = 30 * DAY_MS

/** Missed deliveries kept of an endpoint, and open ones. */
export const MAX_WAITING = 100_000

/** Delivered rows kept of an organization. */
export const MAX_DELIVERED = 1_000_000

/** An endpoint with this many failures in a row, over two deliveries, is down. */
export const FAILURES_UNTIL_DOWN = 10

/** Without a success for this long, an endpoint is disabled. */
const DISABLED_AFTER_MS = 5 * DAY_MS

/**
 * Time from the first failure to the last one without which an endpoint is not disabled: the server
 * itself may have been off, or its clock wrong.
 */
const FAILED_FOR_MS = 3 * DAY_MS

/** Whether an endpoint has failed for so long, and was tried for so long, that it is disabled. */
export const mustBeDisabled = (
  { failingSinceMs, lastFailureAtMs }: Failing,
  nowMs: number,
): boolean =>
  failingSinceMs !== null &&
  nowMs - failingSinceMs >= DISABLED_AFTER_MS &&
  (lastFailureAtMs ?? 0) - failingSinceMs >= FAILED_FOR_MS

/** Since when an endpoint fails, and when it did last. */
interface Failing {
  failingSinceMs: number | null
  lastFailureAtMs: number | null
}

/** Failing endpoints cause a notice after these times. */
export const NOTICES_AFTER_MS = [DAY_MS, 3 * DAY_MS]

/** An endpoint with too many waiting deliveries causes a notice this often. */
export const BACKLOG_NOTICE_EVERY_MS = DAY_MS

/** Longest range of a replay. */
export const MAX_REPLAY_MS = 7 * DAY_MS

/** Most deliveries of a replay. */
export const MAX_REPLAYED = 100_000

const PROBE_PAUSES_MS = [30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS]

/** Returns the pause before the next probe of an endpoint that is down. */
export const probePauseMs = (probes: number): number =>
  PROBE_PAUSES_MS[Math.min(probes, PROBE_PAUSES_MS.length - 1)] ?? 0

/**
 * Whether the next probe is due. One that is further away than any pause was planned by a clock
 * that has been set back since.
 */
export const isProbeDue = (nextProbeAtMs: number, nowMs: number): boolean =>
  nextProbeAtMs <= nowMs || nextProbeAtMs - nowMs > probePauseMs(PROBE_PAUSES_MS.length)

/**
 * Returns the pause before the next attempt of a delivery with so many failed ones, with up to 10 %
 * jitter, and at least what the receiver asked for; `null` after the last attempt, and if the
 * first failure would be too long ago then.
 */
export function retryPauseMs(
  failed: number,
  at: { random: () => number; askedMs: number | null; failingMs: number },
): number | null {
  const ownMs = RETRY_PAUSES_MS[failed - 1]
  if (ownMs === undefined) return null
  const pauseMs = Math.max(Math.ceil(ownMs * (1 + JITTER * at.random())), at.askedMs ?? 0)
  return at.failingMs + pauseMs > MAX_RETRIED_MS ? null : pauseMs
}

/** Longest pause that a receiver can ask for with `Retry-After`. */
const MAX_ASKED_MS = DAY_MS

/** Statuses whose `Retry-After` is obeyed. */
const MAY_ASK = [429, 503]

/**
 * Returns the pause that an answer asks for with `Retry-After`, seconds or a date, milliseconds;
 * `null` for none.
 */
export function askedPauseMs(
  { status, header }: { status: number | null; header: string | undefined },
  nowMs: number,
): number | null {
  if (header === undefined || status === null || !MAY_ASK.includes(status)) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - nowMs
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_ASKED_MS) : null
}

/** Status codes by which a receiver says that it has too much to do. */
export const isOverloaded = (status: number | null): boolean =>
  status !== null && [429, 502, 503, 504].includes(status)

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|user-agent|accept-encoding|webhook-.*)$/i
const HEADER_VALUE = /^[\x20-\x7e]{0,1024}$/

/** Returns why a custom header is refused, or `null`. */
export function headerProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is not a valid header name'
  if (RESERVED_HEADER.test(name)) return 'is set by the server'
  return HEADER_VALUE.test(value)
    ? null
    : 'must have at most 1,024 visible ASCII characters, without line breaks'
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** Whether a text is a signing secret: `whsec_` and the base64 form of 24 to 64 bytes. */
export function isSigningSecret(text: string): boolean {
  const encoded = SECRET.exec(text)?.[1]
  if (encoded === undefined) return false
  const bytes = Buffer.from(encoded, 'base64')
  return (
    bytes.length >= 24 &&
    bytes.length <= 64 &&
    bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  )
}
