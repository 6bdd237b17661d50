import { inArray, lt } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { unindexEntry } from './search-index'
import { auditLogs } from './table'

const PRUNE_BATCH = 500

/**
 * Deletes a batch of entries older than the retention time, of all organizations. Returns the
 * number deleted.
 */
export function pruneAudit(deps: Deps): number {
  const beforeMs = deps.clock.nowMs() - deps.settings.auditRetentionDays * DAY_MS
  return transact(deps.db, (tx) => {
    const old = tx
      .select({ row: auditLogs.row })
      .from(auditLogs)
      .where(
        inWorkingOrganizations(
          'old entries are pruned for all organizations at once',
          auditLogs,
          lt(auditLogs.createdAtMs, beforeMs),
        ),
      )
      .limit(PRUNE_BATCH)
    const deleted = tx
      .delete(auditLogs)
      .where(
        inWorkingOrganizations(
          'old entries are pruned for all organizations at once',
          auditLogs,
          inArray(auditLogs.row, old),
        ),
      )
      .returning({ row: auditLogs.row, words: auditLogs.words })
      .all()
    for (const entry of deleted) unindexEntry(deps.db, entry)
    return deleted.length
  })
}

/**
 * Deletes a batch of entries of an organization, in the caller's transaction. Returns whether there
 * may be more.
 */
export function eraseAuditIn(tx: Tx, ctx: Ctx, limit: number): boolean {
  const next = tx
    .select({ row: auditLogs.row })
    .from(auditLogs)
    .where(inOrganization(ctx, auditLogs))
    .limit(limit)
  const deleted = tx
    .delete(auditLogs)
    .where(inOrganization(ctx, auditLogs, inArray(auditLogs.row, next)))
    .returning({ row: auditLogs.row, words: auditLogs.words })
    .all()
  for (const entry of deleted) unindexEntry(ctx.db, entry)
  return deleted.length === limit
}
