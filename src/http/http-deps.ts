import type { TSchema } from '@sinclair/typebox'

import type { Actor, Deps } from '../infra/ctx'
import type { Idempotency } from '../infra/idempotency/store'
import type { Deadlines } from './time-limits'
import type { DeliverySummary } from './delivery-summary'
import type { IdPlaces } from './normalize-ids'
import type { Pattern } from './route-patterns'
import type { ProxyWatch } from './proxy-watch'
import type { Limiters } from './rate-limit'
import type { Replays } from '../infra/idempotency/replays'

/**
 * What controllers are built from: the program's parts, who a caller is, and the counters of
 * requests.
 */
export interface Http extends Deps {
  /**
   * The caller behind a credential sent from an address; `null` when none was sent. Throws
   * UnauthorizedError or ForbiddenError when one was sent that is not good.
   */
  authenticate: (headers: Headers, address: string) => Promise<Actor | null>
  clientAddress: (socketAddress: string, forwardedFor: string | null) => string
  limiters: Limiters
  proxies: ProxyWatch
  deliverySummary: DeliverySummary
  idempotency: Idempotency
  replays: Replays
  deadlines: Deadlines
  /**
   * The routes that answer 201 to a POST, with the schema of what they answer; known once the app
   * is put together.
   */
  creatingRoutes: Map<string, TSchema>
  /**
   * Where ids stand in what routes take, by method and pattern; known once the app is put together.
   */
  idPlaces: Map<string, IdPlaces>
  /** What a request is logged by when its route could not tell. */
  patterns: Pattern[]
}
