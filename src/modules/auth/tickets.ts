import { randomBytes } from 'node:crypto'

import { and, eq, gt, isNull } from 'drizzle-orm'

import { SECOND_MS } from '../../lib/clock'
import { UnauthorizedError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import { acrossOrganizations, type Actor, type Ctx, type Deps } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { requireActiveKey } from '../api-keys/authenticate'
import { actorOf, actorOfKey, liveIdentity } from './authenticate'
import { findSession, tokensCountFromS } from './sessions'
import { socketTickets } from './table'

type TicketRow = typeof socketTickets.$inferSelect

/** How long a ticket waits to be used. */
const TICKET_LIVES_S = 30

/**
 * Issues a ticket that opens one socket for the caller, a person or an API key, within thirty
 * seconds. Throws UnauthorizedError.
 */
export function issueTicket(ctx: Ctx): { ticket: string; expires_in: number } {
  const nowMs = ctx.clock.nowMs()
  const ticket = randomBytes(32).toString('base64url')
  const owner = ticketOwner(ctx.actor, nowMs)
  return transact(ctx.db, (tx) => {
    tx.insert(socketTickets)
      .values({
        id: ctx.ids.next(),
        ticketHash: sha256Hex(ticket),
        organizationId: ctx.organizationId,
        expiresAtMs: nowMs + TICKET_LIVES_S * SECOND_MS,
        ...owner,
      })
      .run()
    return { ticket, expires_in: TICKET_LIVES_S }
  })
}

/** The columns that say whose ticket it is. Throws UnauthorizedError. */
function ticketOwner(
  actor: Actor,
  nowMs: number,
): Pick<TicketRow, 'sessionId' | 'apiKeyId' | 'accessExpiresAtMs'> {
  const { apiKeyId, sessionId, expiresAtMs } = actor
  if (apiKeyId !== null) return { apiKeyId, sessionId: null, accessExpiresAtMs: null }
  if (sessionId === null) throw new UnauthorizedError()
  return { apiKeyId: null, sessionId, accessExpiresAtMs: expiresAtMs ?? nowMs }
}

/**
 * Redeems a ticket: the actor that opens the socket, with the rights it has now. Throws
 * UnauthorizedError.
 */
export function redeemTicket(deps: Deps, ticket: string): Actor {
  const nowMs = deps.clock.nowMs()
  const row = transact(deps.db, (tx) =>
    tx
      .update(socketTickets)
      .set({ usedAtMs: nowMs })
      .where(
        acrossOrganizations(
          'the ticket itself names its organization',
          and(
            eq(socketTickets.ticketHash, sha256Hex(ticket)),
            isNull(socketTickets.usedAtMs),
            gt(socketTickets.expiresAtMs, nowMs),
          ),
        ),
      )
      .returning()
      .get(),
  )
  if (!row) throw badTicket()
  const { organizationId, apiKeyId } = row
  return apiKeyId === null
    ? personOfTicket(deps, row)
    : actorOfKey(deps, requireActiveKey(deps, { organizationId, id: apiKeyId }))
}

const badTicket = (): UnauthorizedError =>
  new UnauthorizedError(
    'The ticket is invalid, used or older than 30 seconds. Create a new one with `POST ' +
      '/api/auth/ws-ticket`.',
    {
      code: 'invalid_token',
    },
  )

/** The person whose session a ticket belongs to. Throws UnauthorizedError. */
function personOfTicket(
  deps: Deps,
  { organizationId, sessionId, accessExpiresAtMs }: TicketRow,
): Actor {
  const nowMs = deps.clock.nowMs()
  const session = sessionId === null ? null : findSession(deps, sessionId)
  if (!session || accessExpiresAtMs === null || accessExpiresAtMs <= nowMs) throw badTicket()
  // Tickets are deleted when tokens are ended, so one that is still there is good from this second
  // on.
  const issuedAtS = Math.max(
    Math.floor(nowMs / 1_000),
    tokensCountFromS(deps, { organizationId, userId: session.userId }),
  )
  const { identity } = liveIdentity(deps, {
    sid: session.id,
    sub: session.userId,
    org: organizationId,
    iat: issuedAtS,
  })
  return actorOf(identity, { sessionId: session.id, issuedAtS, expiresAtMs: accessExpiresAtMs })
}
