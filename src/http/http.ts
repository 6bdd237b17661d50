import type { Actor, Deps } from '../infra/ctx'
import type { Idempotency } from '../infra/idempotency/idempotency'
import type { RateLimiter } from './rate-limit'

/** What controllers are built from: the program's parts, who a caller is, and the counters of requests. */
export interface Http extends Deps {
  /** The caller behind a credential sent from an address; `null` when none was sent. Throws UnauthorizedError or ForbiddenError when one was sent that is not good. */
  authenticate: (headers: Headers, address: string) => Promise<Actor | null>
  clientAddress: (socketAddress: string, forwardedFor: string | null) => string
  limiters: { standard: RateLimiter; bulk: RateLimiter }
  idempotency: Idempotency
  /** Patterns of the routes that answer 201 to a POST; known once the app is put together. */
  creatingRoutes: Set<string>
  version: string
}
