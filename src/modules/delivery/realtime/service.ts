import type { Actor } from '../../../infra/actor'
import type { Deps } from '../../../infra/ctx'
import {
  authenticateAccessToken,
  connectedActor,
  type CredentialServices,
} from '../../organization/auth/authenticate'
import { redeemTicket } from '../../organization/auth/tickets'
import type { Hub } from '../../../infra/hub'
import type { Relay } from '../../../infra/outbox/relay'
import type { FrameHandler } from './client-frames'
import { Presence } from './presence/presence'
import { publishPresence } from './presence/publish'
import { Replays } from './replays'
import { Sockets } from './sockets'

/** Creates the realtime server of this process on top of the event log. */
export function createRealtime(
  deps: Deps,
  services: CredentialServices,
  { hub, swept, ...log }: { relay: Relay; logId: string; hub: Hub; swept: () => void },
): FrameHandler {
  const sockets = new Sockets(
    deps,
    (actor: Actor) => connectedActor(deps, services.callers, actor),
    () => log.relay.wake(),
  )
  const presence = new Presence(deps.clock, (place, users) =>
    publishPresence(deps, hub, sockets, { place, users }),
  )
  sockets.listeners = {
    removed: ({ id }) => presence.leave(id),
    swept: () => {
      presence.sweep()
      swept()
    },
  }
  return {
    ...log,
    sockets,
    presence,
    replays: new Replays({ sockets, relay: log.relay }),
    authenticate: (token) => authenticateAccessToken(deps, services, token),
    redeem: (ticket) => redeemTicket(deps, ticket),
  }
}
