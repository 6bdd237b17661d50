import type { TSchema } from '@sinclair/typebox'

import type { Actor } from '../infra/actor'
import type { Deps } from '../infra/ctx'
import type { Idempotency } from '../infra/idempotency/store'
import type { RequestDeadlines } from './time-limits'
import type { DeliverySummary } from './delivery-summary'
import type { IdPlaces } from './normalize-ids'
import type { FindOversized } from './refuse-oversized'
import type { Pattern } from './route-patterns'
import type { StartPart } from './start-parts'
import type { ProxyWatch } from './proxy-watch'
import type { Limiters } from './count-request'
import type { Replays } from '../infra/idempotency/replays'

/** Dependencies of controllers: the program's parts, authentication and the rate limiters. */
export interface Http extends Deps {
  /**
   * Returns the caller of a credential sent from an address, or `null` if there is no credential.
   * Throws UnauthorizedError or ForbiddenError for an invalid credential.
   */
  authenticate: (headers: Headers, address: string) => Promise<Actor | null>
  /**
   * Returns the user of a media cookie in the organization of a file. Throws UnauthorizedError if
   * the cookie or its session is not valid.
   */
  authenticateMedia: (cookie: string, fileId: string) => Actor
  clientAddress: (socketAddress: string, forwardedFor: string | null) => string
  limiters: Limiters
  proxies: ProxyWatch
  deliverySummary: DeliverySummary
  idempotency: Idempotency
  replays: Replays
  deadlines: RequestDeadlines
  /**
   * Routes that respond with 201 to a POST, with their response schemas. Filled in when the app is
   * created.
   */
  creatingRoutes: Map<string, TSchema>
  /**
   * Where requests of each route hold IDs, by method and pattern. Filled in when the app is
   * created.
   */
  idPlaces: Map<string, IdPlaces>
  /** Finds oversized parts in the bodies of each route. Filled in when the app is created. */
  oversizedFinders: Map<string, FindOversized>
  /** Routes whose answers show a credential. Filled in when the app is created. */
  credentialRoutes: Set<string>
  /** What modules add to the answer of a sign-in. Filled in when the app is created. */
  startParts: StartPart[]
  /** Route patterns for the log lines of requests that reached no route. */
  patterns: Pattern[]
}
