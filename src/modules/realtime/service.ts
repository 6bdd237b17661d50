import type { Actor, Deps } from '../../infra/ctx'
import { authenticateAccessToken, connectedActor, type Judges } from '../auth/authenticate'
import { redeemTicket } from '../auth/tickets'
import type { Relay } from '../../infra/outbox/relay'
import type { FrameDesk } from './client-frames'
import { Sockets } from './sockets'

/** The sockets of this process over the event log. */
export function createRealtime(deps: Deps, judges: Judges, log: { relay: Relay; logId: string }): FrameDesk {
  return {
    ...log,
    sockets: new Sockets(
      deps,
      (actor: Actor) => connectedActor(deps, judges.callers, actor),
      () => log.relay.wake(),
    ),
    authenticate: (token) => authenticateAccessToken(deps, judges, token),
    redeem: (ticket) => redeemTicket(deps, ticket),
  }
}
