import { and, asc, eq, gt } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { SettingsCache } from '../chatbot-settings/effective'
import { organizations } from '../../organization/organizations/table'
import { conversationOf, updateTransferIn } from './change'
import { agentDeadlineOf, silenceClocks, silentSinceMs, slaDeadlines } from './clocks'
import type { TransferRow } from './rules'
import { transfers } from './table'

/**
 * Lets all clocks of the active transfers of a restored database count anew: their customers may
 * have been answered or reminded since the backup was made. Returns the number of transfers.
 */
export function restartClocks(deps: Pick<Deps, 'db' | 'clock' | 'ids'>): number {
  const parts = { ...deps, chatbotSettings: new SettingsCache() }
  return transact(deps.db, (tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .all()
      .map(({ id }) => restartAllIn(tx, systemCtx(parts as Deps, id))) // only these parts are used
      .reduce((sum, restarted) => sum + restarted, 0),
  )
}

/** The same for one organization, in the caller's transaction. */
function restartAllIn(tx: Tx, ctx: Ctx): number {
  const active = tx
    .select()
    .from(transfers)
    .where(inOrganization(ctx, transfers, eq(transfers.status, 'active')))
    .all()
  for (const row of active) restartIn(tx, ctx, row)
  return active.length
}

/** Transfers restarted in one transaction. */
const AT_ONCE = 10

/**
 * Lets the clocks of some active transfers of an organization count anew, in the order of their IDs
 * after one of them, in the caller's transaction. Returns the last one, `null` at the end.
 */
export function restartSomeIn(tx: Tx, ctx: Ctx, after: string): string | null {
  const some = tx
    .select()
    .from(transfers)
    .where(
      inOrganization(ctx, transfers, and(eq(transfers.status, 'active'), gt(transfers.id, after))),
    )
    .orderBy(asc(transfers.id))
    .limit(AT_ONCE)
    .all()
  for (const row of some) restartIn(tx, ctx, row)
  return some.length < AT_ONCE ? null : (some.at(-1)?.id ?? null)
}

function restartIn(tx: Tx, ctx: Ctx, row: TransferRow): void {
  const nowMs = ctx.clock.nowMs()
  const deadlines = slaDeadlines(ctx, row.accountId)
  const isAnswered = row.firstResponseAtMs !== null
  const since = silentSinceMs(conversationOf(ctx, row))
  updateTransferIn(tx, ctx, row, {
    countsOpenTime: deadlines.countsOpenTime,
    resolutionDueAtMs: row.resolutionDueAtMs === null ? null : deadlines.resolutionDueAtMs,
    responseDueAtMs:
      isAnswered || row.responseDueAtMs === null ? row.responseDueAtMs : deadlines.responseDueAtMs,
    escalationDueAtMs: row.escalationDueAtMs === null ? null : deadlines.escalationDueAtMs,
    agentDueAtMs: row.agentDueAtMs === null ? null : agentDeadlineOf(ctx, row),
    pausedAtMs: row.pausedAtMs === null ? null : nowMs,
    ...silenceClocks(ctx, row, since === null ? null : nowMs),
    ...(row.remindedAtMs === null ? {} : { reminderDueAtMs: null }),
  })
}
