import { and, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../lib/clock'
import { sha256Hex } from '../../lib/hash'
import type { Deps } from '../../infra/ctx'
import { compiled, transact, type Tx } from '../../infra/db'
import { refreshTokens, sessions } from './table'

/** A sign-in as its row holds it. */
export type SessionRow = typeof sessions.$inferSelect
/** A refresh token as its row holds it. */
export type RefreshRow = typeof refreshTokens.$inferSelect

/** Where a sign-in comes from. */
export interface Origin {
  ipAddress: string
  userAgent: string
}

const LONGEST_USER_AGENT = 255

/** Opens a session for a user, in the caller's transaction; it lives `SESSION_DAYS`, however often it is refreshed. */
export function openSessionIn(tx: Tx, deps: Deps, input: { userId: string } & Origin): SessionRow {
  const nowMs = deps.clock.nowMs()
  const row: SessionRow = {
    id: deps.ids.next(),
    userId: input.userId,
    ipAddress: input.ipAddress,
    userAgent: input.userAgent.slice(0, LONGEST_USER_AGENT),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    expiresAtMs: nowMs + deps.settings.sessionDays * DAY_MS,
    endedAtMs: null,
    endReason: null,
  }
  tx.insert(sessions).values(row).run()
  return row
}

const liveSession = compiled((orm) =>
  orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, sql.placeholder('id')), isNull(sessions.endedAtMs), gt(sessions.expiresAtMs, sql.placeholder('nowMs'))))
    .prepare(),
)

/** The session with this id while it lives; `null` when it was ended or its time is over. */
export const findLiveSession = (deps: Pick<Deps, 'db' | 'clock'>, id: string): SessionRow | null =>
  liveSession(deps.db).get({ id, nowMs: deps.clock.nowMs() }) ?? null

/** Ends a session with all its tokens, in the caller's transaction. Ending it twice changes nothing. */
export function endSessionIn(tx: Tx, deps: Deps, sessionId: string, reason: string): void {
  tx.update(sessions)
    .set({ endedAtMs: deps.clock.nowMs(), endReason: reason })
    .where(and(eq(sessions.id, sessionId), isNull(sessions.endedAtMs)))
    .run()
}

/** Remembers that a session was used, at most once a minute. */
export function touchSessionIn(tx: Tx, deps: Deps, session: SessionRow): void {
  const nowMs = deps.clock.nowMs()
  if (nowMs - session.lastUsedAtMs < MINUTE_MS) return
  tx.update(sessions).set({ lastUsedAtMs: nowMs }).where(eq(sessions.id, session.id)).run()
}

/** Writes down a refresh token that is about to be handed out; only its hash is kept. */
export function storeRefreshTokenIn(
  tx: Tx,
  input: { id: string; sessionId: string; organizationId: string; token: string; issuedAtMs: number; expiresAtMs: number },
): void {
  const { token, ...row } = input
  tx.insert(refreshTokens)
    .values({ ...row, tokenHash: sha256Hex(token) })
    .run()
}

/** The row of a refresh token; `null` when we never gave it out or it was pruned. */
export const findRefreshTokenIn = (tx: Tx, token: string): RefreshRow | null =>
  tx
    .select()
    .from(refreshTokens)
    .where(eq(refreshTokens.tokenHash, sha256Hex(token)))
    .get() ?? null

/** The refresh token with this id; `null` when there is none. */
export const findRefreshTokenByIdIn = (tx: Tx, id: string): RefreshRow | null =>
  tx.select().from(refreshTokens).where(eq(refreshTokens.id, id)).get() ?? null

/** Marks a refresh token as exchanged for its successor. */
export function useRefreshTokenIn(tx: Tx, deps: Deps, row: RefreshRow, successorId: string): void {
  tx.update(refreshTokens).set({ usedAtMs: deps.clock.nowMs(), successorId }).where(eq(refreshTokens.id, row.id)).run()
}

const PRUNE_BATCH = 1_000

/** Deletes a batch of refresh tokens and sessions that ended or expired more than a day ago. Returns how many rows went. */
export function pruneSessions(deps: Deps): number {
  const beforeMs = deps.clock.nowMs() - DAY_MS
  return transact(deps.db, (tx) => {
    const tokens = tx
      .delete(refreshTokens)
      .where(sql`${refreshTokens.id} in (select id from refresh_tokens where expires_at_ms < ${beforeMs} limit ${PRUNE_BATCH})`)
      .returning({ id: refreshTokens.id })
      .all().length
    const gone = tx
      .delete(sessions)
      .where(
        and(
          or(lt(sessions.endedAtMs, beforeMs), lte(sessions.expiresAtMs, beforeMs)),
          sql`not exists (select 1 from refresh_tokens where refresh_tokens.session_id = ${sessions.id})`,
        ),
      )
      .returning({ id: sessions.id })
      .all().length
    return tokens + gone
  })
}
