import type { Actor, Deps } from '../../infra/ctx'
import {
  authenticateAccessToken,
  connectedActor,
  type CredentialServices,
} from '../auth/authenticate'
import { redeemTicket } from '../auth/tickets'
import type { Relay } from '../../infra/outbox/relay'
import type { FrameHandler } from './client-frames'
import { Replays } from './replays'
import { Sockets } from './sockets'

/** Creates the realtime server of this process on top of the event log. */
export function createRealtime(
  deps: Deps,
  services: CredentialServices,
  log: { relay: Relay; logId: string },
): FrameHandler {
  const sockets = new Sockets(
    deps,
    (actor: Actor) => connectedActor(deps, services.callers, actor),
    () => log.relay.wake(),
  )
  return {
    ...log,
    sockets,
    replays: new Replays({ sockets, relay: log.relay, eventLoop: deps.eventLoop }),
    authenticate: (token) => authenticateAccessToken(deps, services, token),
    redeem: (ticket) => redeemTicket(deps, ticket),
  }
}
