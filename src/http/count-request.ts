import { countedAddress } from '../lib/address'
import { RateLimitedError } from '../lib/errors'
import type { RequestFacts } from './request-facts'
import type { RateLimitResult, RateLimiter } from './rate-limit'

/**
 * The rate limits: requests, bulk operations in addition, opened sockets, media downloads, and
 * suggestions while somebody types.
 */
export type RequestBucket = 'standard' | 'bulk' | 'sockets' | 'downloads' | 'suggestions'

/**
 * Media downloads per request that a caller may make, so that a console can show a conversation
 * full of images.
 */
export const DOWNLOADS_PER_REQUEST = 20

/**
 * The bytes of a media file or its thumbnail, or by a signed link; descriptions of files are ordinary
 * requests.
 */
const DOWNLOAD = /^\/api\/media\/(?:(?:signed\/)?[^/]+|[^/]+\/thumbnail)$/

/** Returns the bucket that a request counts in. */
function bucketOf({ method, path }: Counted): RequestBucket {
  if (method !== 'GET') return 'standard'
  if (DOWNLOAD.test(path)) return 'downloads'
  return path === '/api/suggest' ? 'suggestions' : 'standard'
}

/** Sockets that a caller may open, as a share of its requests. */
export const OPENINGS_PER_REQUEST = 0.3

/** Requests of all API keys of an organization together, as a multiple of one caller's. */
export const KEYS_PER_ORGANIZATION = 5

/**
 * Requests of all users and API keys of an organization together, as a multiple of one caller's, and
 * what each member adds who has been one for a day. People are made for nothing: without it, an admin
 * who makes them would have as many requests as they like.
 */
const EVERYBODY_PER_ORGANIZATION = 20
const MORE_PER_MEMBER = 0.1

/** Returns the requests of everybody in an organization together, from those of one caller. */
export const sharedRate = (perCaller: number, members: number): number =>
  Math.floor(perCaller * (EVERYBODY_PER_ORGANIZATION + MORE_PER_MEMBER * members))

/**
 * The counters of requests: per caller or address, and per organization for its API keys and for
 * everybody in it.
 * `unproven` counts failed proofs at the Flow endpoint, `customActions` the custom actions that a
 * user runs.
 */
export type Limiters = Record<RequestBucket, RateLimiter> & {
  keysTogether: Record<RequestBucket, RateLimiter>
  allTogether: Record<RequestBucket, RateLimiter>
  unproven: RateLimiter
  customActions: RateLimiter
}

type Caller = Pick<RequestFacts, 'actor' | 'address'>

/** A request as far as it is counted. */
type Counted = Caller & Pick<RequestFacts, 'method' | 'path'>

/** A counter with the key that a request is counted under. */
interface Counter {
  limiter: RateLimiter
  key: string
  /** Whose requests these are, if the caller shares them. */
  sharedBy?: string
}

/**
 * Everything a request counts for: its caller, or its address without a good credential; for an API
 * key also the keys of its organization, and for everybody but super admins all in it.
 */
function countersOf(
  limiters: Limiters,
  bucket: RequestBucket,
  { actor, address }: Caller,
): Counter[] {
  const limiter = limiters[bucket]
  if (!actor) return [{ limiter, key: `address:${countedAddress(address)}` }]
  const own = {
    limiter,
    key: `${actor.type}:${actor.apiKeyId ?? actor.userId ?? actor.organizationId}`,
  }
  const key = actor.organizationId
  return [
    own,
    ...(actor.apiKeyId === null
      ? []
      : [
          {
            limiter: limiters.keysTogether[bucket],
            key,
            sharedBy: 'the API keys of your organization together',
          },
        ]),
    ...(actor.isSuperAdmin
      ? []
      : [
          {
            limiter: limiters.allTogether[bucket],
            key,
            sharedBy: 'the users and API keys of your organization together',
          },
        ]),
  ]
}

const headersOf = ({ limit, remaining, resetAtS }: RateLimitResult): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAtS),
})

/** The allowance that is used up first; `null` when all limits are switched off. */
const tightest = (allowances: (RateLimitResult | null)[]): RateLimitResult | null =>
  allowances
    .filter((allowance) => allowance !== null)
    .toSorted((a, b) => a.remaining - b.remaining || b.resetAtS - a.resetAtS)
    .at(0) ?? null

/** Says who shares the requests that are used up, unless the caller's own are. */
const ofWhom = (closed: Counter[]): string => {
  const [sharedBy] = closed.map((counter) => counter.sharedBy)
  return sharedBy === undefined ? '' : ` by ${sharedBy}`
}

/**
 * Counts a request for its caller, or for its address if it has no valid credential, and sets the
 * rate-limit headers (spec 8). A request over one limit counts for none. Throws RateLimitedError
 * over the limit.
 */
export function countRequestOf(
  limiters: Limiters,
  bucket: RequestBucket,
  of: { facts: Caller; headers: Record<string, unknown> },
): void {
  const counters = countersOf(limiters, bucket, of.facts)
  const closed = counters.filter(({ limiter, key }) => limiter.peek(key)?.isAllowed === false)
  const allowance = tightest(
    (closed.length > 0 ? closed : counters).map(({ limiter, key }) => limiter.hit(key)),
  )
  if (!allowance) return
  Object.assign(of.headers, headersOf(allowance))
  if (!allowance.isAllowed)
    throw new RateLimitedError(
      `Rate limit exceeded${ofWhom(closed)}. Wait for the number of seconds in \`Retry-After\`.`,
      allowance.retryAfterS,
    )
}

/** Counts a request in the bucket it belongs to. Throws RateLimitedError over the limit. */
export const countRequest = (
  limiters: Limiters,
  facts: Counted,
  headers: Record<string, unknown>,
): void => countRequestOf(limiters, bucketOf(facts), { facts, headers })

/** Returns the rate-limit headers of a response that is not counted. */
export function rateLimitHeaders(limiters: Limiters, facts: Counted): Record<string, string> {
  const allowance = tightest(
    countersOf(limiters, bucketOf(facts), facts).map(({ limiter, key }) => limiter.peek(key)),
  )
  return allowance ? headersOf(allowance) : {}
}
