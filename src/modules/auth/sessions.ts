import { and, desc, eq, gt, inArray, isNull, lt, lte, ne, or, sql, type SQL } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../lib/clock'
import { sha256Hex } from '../../lib/hash'
import { acrossOrganizations, anyScope, inOrganization, type Deps } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { isStorageError } from '../../infra/db/errors'
import { transact, type Tx } from '../../infra/db/transact'
import { refreshTokens, sessions, socketTickets, tokenCutoffs } from './table'

/** A sign-in as its row holds it. */
export type SessionRow = typeof sessions.$inferSelect
/** A refresh token as its row holds it. */
export type RefreshRow = typeof refreshTokens.$inferSelect

/** Where a sign-in comes from. */
export interface Origin {
  ipAddress: string
  userAgent: string
}

const MAX_USER_AGENT_LENGTH = 255

/**
 * A session of a user that begins now and is not stored yet; it lives `SESSION_DAYS`, however often
 * it is refreshed.
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

/** Stores a session that begins. */
export function storeSessionIn(tx: Tx, row: SessionRow): void {
  tx.insert(sessions).values(row).run()
}

const liveSession = compiled((orm) =>
  orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sql.placeholder('id')),
        isNull(sessions.endedAtMs),
        gt(sessions.expiresAtMs, sql.placeholder('nowMs')),
      ),
    )
    .prepare(),
)

/** The session with this id while it lives; `null` when it was ended or its time is over. */
export const findLiveSession = (deps: Pick<Deps, 'db' | 'clock'>, id: string): SessionRow | null =>
  liveSession(deps.db).get({ id, nowMs: deps.clock.nowMs() }) ?? null

/** The session with this id, ended or not; `null` when there is none. */
export const findSession = (deps: Pick<Deps, 'db'>, id: string): SessionRow | null =>
  deps.db.orm.select().from(sessions).where(eq(sessions.id, id)).get() ?? null

/**
 * Ends a session with all its tokens, in the caller's transaction; its sockets close within two
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
 * Ends every session of a user, all but one if told so, in the caller's transaction. Returns how
 * many were live.
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
      inOrganization(anyScope, tokenCutoffs, eq(tokenCutoffs.userId, sql.placeholder('userId'))),
    )
    .prepare(),
)

/** The least `iat` of tokens of a person for an organization that is still good, Unix seconds. */
export const tokensCountFromS = (
  deps: Pick<Deps, 'db'>,
  of: { organizationId: string; userId: string },
): number => cutoff(deps.db).get(of)?.notBeforeS ?? 0

/**
 * Ends what a person holds for the scope's organization, in every session: access tokens, chains of
 * refresh tokens, tickets, sockets. Sessions and other organizations live on, and tokens issued
 * from now on are good.
 */
export function endOrganizationTokensIn(
  tx: Tx,
  ctx: Pick<Deps, 'clock'> & { organizationId: string },
  userId: string,
): void {
  const notBeforeS = Math.floor(ctx.clock.nowMs() / 1_000) + 1
  // Tokens of the same second, issued since it was done last, are dated to the former limit and
  // have to go too.
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

/** Remembers that a session was used, at most once a minute. */
export function touchSessionIn(tx: Tx, deps: Pick<Deps, 'clock'>, session: SessionRow): void {
  const nowMs = deps.clock.nowMs()
  if (nowMs - session.lastUsedAtMs < MINUTE_MS) return
  tx.update(sessions).set({ lastUsedAtMs: nowMs }).where(eq(sessions.id, session.id)).run()
}

/**
 * Remembers that a request was made in a session, at most once a minute, in the row given too; that
 * nothing can be stored now stops nobody.
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

/** Writes down a refresh token that is about to be handed out; only its hash is kept. */
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

/** The row of a refresh token; `null` when we never gave it out or it was pruned. */
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

/** The refresh token with this id; `null` when there is none. */
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
export function useRefreshTokenIn(tx: Tx, deps: Deps, row: RefreshRow, successorId: string): void {
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

/** Chains of refresh tokens that a session may have. */
const MAX_CHAINS = 10

/** The unused token at the end of the chain that a refresh token belongs to. */
function headOfChain(tx: Tx, tokenId: string | undefined): string | null {
  let row = tokenId === undefined ? null : findRefreshTokenByIdIn(tx, tokenId)
  while (row !== null && row.successorId !== null) row = findRefreshTokenByIdIn(tx, row.successorId)
  return row?.id ?? null
}

/**
 * Drops chains over the limit. The one just begun and the caller's own, which `callersTokenId`
 * belongs to, stay. The first to go are those of an organization that has a younger one in the
 * session, so that going to and fro costs no other organization its chain; then the least recently
 * used.
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
