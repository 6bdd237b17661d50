import { randomBytes } from 'node:crypto'

import { and, eq, gt, isNull } from 'drizzle-orm'

import { SECOND_MS } from '../../lib/clock'
import { UnauthorizedError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import type { Actor, Ctx, Deps } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { actorOf, liveIdentity } from './authenticate'
import { findLiveSession, tokensCountFromS } from './sessions'
import { socketTickets } from './table'

/** How long a ticket waits to be used. */
const TICKET_LIVES_S = 30

/** Gives out a ticket that opens one socket for the caller, within thirty seconds. Throws UnauthorizedError. */
export function issueTicket(ctx: Ctx): { ticket: string; expires_in: number } {
  const { sessionId, expiresAtMs } = ctx.actor
  const nowMs = ctx.clock.nowMs()
  const ticket = randomBytes(32).toString('base64url')
  if (sessionId === null) throw new UnauthorizedError()
  return transact(ctx.db, (tx) => {
    tx.insert(socketTickets)
      .values({
        id: ctx.ids.next(),
        ticketHash: sha256Hex(ticket),
        sessionId,
        organizationId: ctx.organizationId,
        accessExpiresAtMs: expiresAtMs ?? nowMs,
        expiresAtMs: nowMs + TICKET_LIVES_S * SECOND_MS,
      })
      .run()
    return { ticket, expires_in: TICKET_LIVES_S }
  })
}

/** Uses up a ticket: who opens the socket, until when the access token that asked for it was good. Throws UnauthorizedError. */
export function redeemTicket(deps: Deps, ticket: string): Actor {
  const nowMs = deps.clock.nowMs()
  const row = transact(deps.db, (tx) =>
    tx
      .update(socketTickets)
      .set({ usedAtMs: nowMs })
      .where(and(eq(socketTickets.ticketHash, sha256Hex(ticket)), isNull(socketTickets.usedAtMs), gt(socketTickets.expiresAtMs, nowMs)))
      .returning()
      .get(),
  )
  const session = row && findLiveSession(deps, row.sessionId)
  if (!row || !session || row.accessExpiresAtMs <= nowMs)
    throw new UnauthorizedError('This ticket is unknown, used or older than thirty seconds.', { code: 'invalid_token' })
  const { organizationId } = row
  // Tickets are deleted when tokens are ended, so one that is still there is good from this second on.
  const issuedAtS = Math.max(Math.floor(nowMs / 1_000), tokensCountFromS(deps, { organizationId, userId: session.userId }))
  const { identity } = liveIdentity(deps, { sid: session.id, sub: session.userId, org: organizationId, iat: issuedAtS })
  return actorOf(identity, { sessionId: session.id, issuedAtS, expiresAtMs: row.accessExpiresAtMs })
}
