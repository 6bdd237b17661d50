import { and, desc, eq, gt, inArray, isNull, lt, lte, ne, or, sql, type SQL } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { sha256Hex } from '../../../lib/hash'
import { acrossOrganizations, anyScope, inOrganization, type Deps } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { isStorageError } from '../../../infra/db/errors'
import { transact, type Tx } from '../../../infra/db/transact'
import { refreshTokens, sessions, socketTickets, tokenCutoffs } from './table'

export type SessionRow = typeof sessions.$inferSelect
/** Row of a refresh token. */
export type RefreshRow = typeof refreshTokens.$inferSelect

/** Client of a sign-in: IP address and user agent. */
export interface Origin {
  ipAddress: string
  userAgent: string
}

const MAX_USER_AGENT_LENGTH = 255

/**
 * Returns a new session that is not stored yet. It lasts `SESSION_DAYS` from the sign-in,
 * regardless of refreshes.
 */
export function newSession(deps: Deps, input: { userId: string } & Origin): SessionRow {
  const nowMs = deps.clock.nowMs()
  return {
    id: deps.ids.next(),
    userId: input.userId,
    ipAddress: input.ipAddress,
    userAgent: input.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    expiresAtMs: nowMs + deps.settings.sessionDays * DAY_MS,
    endedAtMs: null,
    endReason: null,
  }
}

/** Stores a new session. */
export function storeSessionIn(tx: Tx, row: SessionRow): void {
  tx.insert(sessions).values(row).run()
}

const liveSession = compiled((orm) =>
  orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.id, place(sessions.id, 'id')),
        isNull(sessions.endedAtMs),
        gt(sessions.expiresAtMs, sql.placeholder('nowMs')),
      ),
    )
    .prepare(),
)

/** Returns the session if it is live, or `null` if it was ended or has expired. */
export const findLiveSession = (deps: Pick<Deps, 'db' | 'clock'>, id: string): SessionRow | null =>
  liveSession(deps.db).get({ id, nowMs: deps.clock.nowMs() }) ?? null

/** Returns the session, live or not, or `null`. */
export const findSession = (deps: Pick<Deps, 'db'>, id: string): SessionRow | null =>
  deps.db.orm.select().from(sessions).where(eq(sessions.id, id)).get() ?? null

/**
 * Ends a session with all its tokens, in the caller's transaction. Its sockets close within two
 * seconds. Returns whether it was live.
 */
export function endSessionIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  sessionId: string,
  reason: string,
): boolean {
  return endWhereIn(tx, deps, reason, eq(sessions.id, sessionId)) > 0
}

/**
 * Ends every session of a user, optionally except one, in the caller's transaction. Returns the
 * number of live sessions ended.
 */
export function endSessionsOfUserIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  userId: string,
  how: { reason: string; except?: string | null },
): number {
  return endWhereIn(
    tx,
    deps,
    how.reason,
    and(eq(sessions.userId, userId), how.except ? ne(sessions.id, how.except) : undefined),
  )
}

function endWhereIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  reason: string,
  which: SQL | undefined,
): number {
  const nowMs = deps.clock.nowMs()
  return tx
    .update(sessions)
    .set({ endedAtMs: nowMs, endReason: reason })
    .where(and(which, isNull(sessions.endedAtMs), gt(sessions.expiresAtMs, nowMs)))
    .returning({ id: sessions.id })
    .all().length
}

const cutoff = compiled((orm) =>
  orm
    .select({ notBeforeS: tokenCutoffs.notBeforeS })
    .from(tokenCutoffs)
    .where(
      inOrganization(
        anyScope,
        tokenCutoffs,
        eq(tokenCutoffs.userId, place(tokenCutoffs.userId, 'userId')),
      ),
    )
    .prepare(),
)

/** Returns the minimum `iat` of valid tokens of a user for an organization, Unix seconds. */
export const tokensValidFromS = (
  deps: Pick<Deps, 'db'>,
  of: { organizationId: string; userId: string },
): number => cutoff(deps.db).get(of)?.notBeforeS ?? 0

/**
 * Revokes a user's access to the organization in every session: access tokens, refresh tokens,
 * tickets and sockets. Sessions and other organizations are not affected, and tokens issued later
 * are valid.
 */
export function endOrganizationTokensIn(
  tx: Tx,
  ctx: Pick<Deps, 'clock'> & { organizationId: string },
  userId: string,
): void {
  const notBeforeS = Math.floor(ctx.clock.nowMs() / 1_000) + 1
  // Tokens issued in the same second as an earlier revocation are dated to its limit and must be
  // revoked too.
  const later = sql`max(${notBeforeS}, ${tokenCutoffs.notBeforeS} + 1)`
  tx.insert(tokenCutoffs)
    .values({ organizationId: ctx.organizationId, userId, notBeforeS })
    .onConflictDoUpdate({
      target: [tokenCutoffs.organizationId, tokenCutoffs.userId],
      set: { notBeforeS: later },
    })
    .run()
  const own = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, userId))
  tx.delete(socketTickets)
    .where(inOrganization(ctx, socketTickets, inArray(socketTickets.sessionId, own)))
    .run()
}

/** Records the use of a session, at most once a minute. */
export function touchSessionIn(tx: Tx, deps: Pick<Deps, 'clock'>, session: SessionRow): void {
  const nowMs = deps.clock.nowMs()
  if (nowMs - session.lastUsedAtMs < MINUTE_MS) return
  tx.update(sessions).set({ lastUsedAtMs: nowMs }).where(eq(sessions.id, session.id)).run()
}

/**
 * Records a request in a session, at most once a minute, also in the given row. Ignores storage
 * errors, so that the request can proceed.
 */
export function recordSessionUse(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  session: SessionRow,
): void {
  const nowMs = deps.clock.nowMs()
  if (nowMs - session.lastUsedAtMs < MINUTE_MS) return
  try {
    transact(deps.db, (tx) => touchSessionIn(tx, deps, session))
    session.lastUsedAtMs = nowMs
  } catch (error) {
    if (!isStorageError(error)) throw error
    deps.log.warn({ error }, 'last use of a session not recorded')
  }
}

/** Stores the hash of a refresh token before the token is issued. */
export function storeRefreshTokenIn(
  tx: Tx,
  input: {
    id: string
    sessionId: string
    organizationId: string
    token: string
    issuedAtMs: number
    expiresAtMs: number
  },
): void {
  const { token, ...row } = input
  tx.insert(refreshTokens)
    .values({ ...row, tokenHash: sha256Hex(token) })
    .run()
}

/** Returns the row of a refresh token, or `null` if it was never issued or is pruned. */
export const findRefreshTokenIn = (tx: Tx, token: string): RefreshRow | null =>
  tx
    .select()
    .from(refreshTokens)
    .where(
      acrossOrganizations(
        'a session belongs to a person, not to an organization',
        eq(refreshTokens.tokenHash, sha256Hex(token)),
      ),
    )
    .get() ?? null

/** Returns the refresh token with this ID, or `null`. */
export const findRefreshTokenByIdIn = (tx: Tx, id: string): RefreshRow | null =>
  tx
    .select()
    .from(refreshTokens)
    .where(
      acrossOrganizations(
        'a session belongs to a person, not to an organization',
        eq(refreshTokens.id, id),
      ),
    )
    .get() ?? null

/** Marks a refresh token as exchanged for its successor. */
export function markRefreshTokenUsedIn(
  tx: Tx,
  deps: Deps,
  row: RefreshRow,
  successorId: string,
): void {
  tx.update(refreshTokens)
    .set({ usedAtMs: deps.clock.nowMs(), successorId })
    .where(
      acrossOrganizations(
        'a session belongs to a person, not to an organization',
        eq(refreshTokens.id, row.id),
      ),
    )
    .run()
}

/** Maximum number of refresh token chains per session. */
const MAX_CHAINS = 10

/** Returns the unused token at the end of a refresh token's chain. */
function headOfChain(tx: Tx, tokenId: string | undefined): string | null {
  let row = tokenId === undefined ? null : findRefreshTokenByIdIn(tx, tokenId)
  while (row !== null && row.successorId !== null) row = findRefreshTokenByIdIn(tx, row.successorId)
  return row?.id ?? null
}

/**
 * Deletes refresh token chains above the limit. Keeps the newest chain and the caller's own (the
 * chain of `callersTokenId`). Deletes chains of organizations that have a newer chain in the
 * session first, then the least recently used, so that switching back and forth costs no other
 * organization its chain.
 */
export function dropSurplusChainsIn(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  session: { id: string; begun: string; callersTokenId: string | undefined },
): void {
  const heads = tx
    .select({ id: refreshTokens.id, organizationId: refreshTokens.organizationId })
    .from(refreshTokens)
    .where(
      acrossOrganizations(
        'a session belongs to a person, not to an organization',
        and(
          eq(refreshTokens.sessionId, session.id),
          isNull(refreshTokens.usedAtMs),
          gt(refreshTokens.expiresAtMs, deps.clock.nowMs()),
        ),
      ),
    )
    .orderBy(desc(refreshTokens.issuedAtMs), desc(refreshTokens.id))
    .all()
  const kept = new Set([session.begun, headOfChain(tx, session.callersTokenId)])
  const youngest = new Map(heads.toReversed().map(({ id, organizationId }) => [organizationId, id]))
  const rankOf = (head: { id: string; organizationId: string }): number =>
    kept.has(head.id) ? 0 : youngest.get(head.organizationId) === head.id ? 1 : 2
  const surplus = heads.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(MAX_CHAINS)
  if (surplus.length > 0)
    tx.delete(refreshTokens)
      .where(
        acrossOrganizations(
          'a session belongs to a person, not to an organization',
          inArray(
            refreshTokens.id,
            surplus.map(({ id }) => id),
          ),
        ),
      )
      .run()
}

const PRUNE_BATCH = 1_000

/**
 * Deletes a batch of refresh tokens and sessions that ended or expired more than a day ago. Returns
 * how many rows went.
 */
export function pruneSessions(deps: Deps): number {
  const beforeMs = deps.clock.nowMs() - DAY_MS
  return transact(deps.db, (tx) => {
    const tokens = tx
      .delete(refreshTokens)
      .where(
        acrossOrganizations(
          'a session belongs to a person, not to an organization',
          sql`${refreshTokens.id} in (select id from refresh_tokens where expires_at_ms < ${beforeMs} limit ${PRUNE_BATCH})`,
        ),
      )
      .returning({ id: refreshTokens.id })
      .all().length
    tx.delete(socketTickets)
      .where(
        acrossOrganizations(
          'a session belongs to a person, not to an organization',
          lte(socketTickets.expiresAtMs, deps.clock.nowMs()),
        ),
      )
      .run()
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
