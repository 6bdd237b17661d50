import { randomBytes } from 'node:crypto'

import { and, eq, gt, isNull } from 'drizzle-orm'

import { SECOND_MS } from '../../../lib/clock'
import { UnauthorizedError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import type { Actor } from '../../../infra/actor'
import { acrossOrganizations, type Ctx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { requireActiveKey } from '../api-keys/authenticate'
import { actorOf, actorOfKey, liveIdentity } from './authenticate'
import { findSession, tokensValidFromS } from './sessions'
import { socketTickets } from './table'

type TicketRow = typeof socketTickets.$inferSelect

/** Lifetime of a ticket. */
const TICKET_LIVES_S = 30

/**
 * Issues a ticket that opens one socket within 30 seconds for the caller, a user or an API key.
 * Throws UnauthorizedError.
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

/** Returns the owner columns of a ticket. Throws UnauthorizedError. */
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
 * Redeems a ticket and returns the actor of the socket with current permissions. Throws
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

/** Returns the user of a ticket's session. Throws UnauthorizedError. */
function personOfTicket(
  deps: Deps,
  { organizationId, sessionId, accessExpiresAtMs }: TicketRow,
): Actor {
  const nowMs = deps.clock.nowMs()
  const session = sessionId === null ? null : findSession(deps, sessionId)
  if (!session || accessExpiresAtMs === null || accessExpiresAtMs <= nowMs) throw badTicket()
  // Revoking tokens deletes tickets, so an existing ticket is valid from this second on.
  const issuedAtS = Math.max(
    Math.floor(nowMs / 1_000),
    tokensValidFromS(deps, { organizationId, userId: session.userId }),
  )
  const { identity } = liveIdentity(deps, {
    sid: session.id,
    sub: session.userId,
    org: organizationId,
    iat: issuedAtS,
  })
  return actorOf(identity, { sessionId: session.id, issuedAtS, expiresAtMs: accessExpiresAtMs })
}
