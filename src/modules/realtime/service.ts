import type { Actor, Deps } from '../../infra/ctx'
import type { Tokens } from '../auth/tokens'
import { authenticateAccessToken, renewActor } from '../auth/authenticate'
import { redeemTicket } from '../auth/tickets'
import type { Relay } from '../../infra/outbox/relay'
import type { FrameDesk } from './client-frames'
import { Sockets } from './sockets'

/** The sockets of this process over the event log. */
export function createRealtime(deps: Deps, tokens: Tokens, log: { relay: Relay; logId: string }): FrameDesk {
  return {
    ...log,
    sockets: new Sockets(
      deps,
      (actor: Actor) => renewActor(deps, actor),
      () => log.relay.wake(),
    ),
    authenticate: (token) => authenticateAccessToken(deps, tokens, token),
    redeem: (ticket) => redeemTicket(deps, ticket),
  }
}
