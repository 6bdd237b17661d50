import { and, count, desc, eq, gt, isNull, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { NotFoundError } from '../../../../lib/errors'
import { numberedPage, type Page } from '../../../../lib/page'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../audit/record'
import { endSessionIn } from '../sessions'
import { refreshTokens, sessions } from '../table'
import type { SessionView } from './model'

/** Returns the organization of a session's newest refresh token. */
const lastUsedIn = sql`(
  select refresh_tokens.organization_id from refresh_tokens where refresh_tokens.session_id = sessions.id
  order by refresh_tokens.issued_at_ms desc, refresh_tokens.id desc limit 1
)`.mapWith(refreshTokens.organizationId)

const liveOnesOf = (ctx: Ctx, userId = ctx.actor.userId ?? '') =>
  and(
    eq(sessions.userId, userId),
    isNull(sessions.endedAtMs),
    gt(sessions.expiresAtMs, ctx.clock.nowMs()),
  )

/** Returns the caller's live sessions, most recently used first. */
export const listSessions = (ctx: Ctx, query: { page: number; limit: number }): Page<SessionView> =>
  pageOfSessions(ctx, query, liveOnesOf(ctx))

/** Selects the live sessions of a user that were last used in the scope's organization. */
const liveHere = (ctx: Ctx, userId: string) =>
  and(
    liveOnesOf(ctx, userId),
    sql`${lastUsedIn} = ${sql.param(ctx.organizationId, refreshTokens.organizationId)}`,
  )

/** Returns a user's live sessions in the scope's organization, most recently used first. */
export const listSessionsHere = (
  ctx: Ctx,
  userId: string,
  query: { page: number; limit: number },
): Page<SessionView> => pageOfSessions(ctx, query, liveHere(ctx, userId))

/** Whether a session is a user's live one in the scope's organization. */
export const isSessionHere = (ctx: Ctx, userId: string, id: string): boolean =>
  ctx.db.orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, id), liveHere(ctx, userId)))
    .get() !== undefined

function pageOfSessions(
  ctx: Ctx,
  query: { page: number; limit: number },
  which: SQL | undefined,
): Page<SessionView> {
  const rows = ctx.db.orm
    .select({ row: sessions, organizationId: lastUsedIn })
    .from(sessions)
    .where(which)
    .orderBy(desc(sessions.lastUsedAtMs), desc(sessions.id))
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = ctx.db.orm.select({ rows: count() }).from(sessions).where(which).get()?.rows ?? 0
  const items = rows.map(({ row, organizationId }) => ({
    id: row.id,
    created_at: isoTime(row.createdAtMs),
    last_used_at: isoTime(row.lastUsedAtMs),
    expires_at: isoTime(row.expiresAtMs),
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    organization_id: organizationId,
    is_current: row.id === ctx.actor.sessionId,
  }))
  return numberedPage(items, total, query)
}

/** Ends one of the caller's sessions. Throws NotFoundError, also for another user's session. */
export function endOwnSession(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const own = tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.id, id), liveOnesOf(ctx)))
      .get()
    if (!own || !endSessionIn(tx, ctx, id, 'ended_by_owner')) throw new NotFoundError('Session')
    recordAudit(tx, ctx, {
      action: 'session_ended',
      resourceType: 'session',
      resourceId: id,
      resourceName: ctx.actor.userName,
    })
  })
}
