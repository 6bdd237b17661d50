import { inArray, lt } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import type { Deps } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { auditLogs } from './table'

const PRUNE_BATCH = 500

/**
 * Deletes a batch of entries that were kept long enough, of every organization; returns how many.
 */
export function pruneAudit(deps: Deps): number {
  const beforeMs = deps.clock.nowMs() - deps.settings.auditRetentionDays * DAY_MS
  return transact(deps.db, (tx) => {
    const old = tx
      .select({ id: auditLogs.id })
      .from(auditLogs)
      .where(lt(auditLogs.createdAtMs, beforeMs))
      .limit(PRUNE_BATCH)
    return tx
      .delete(auditLogs)
      .where(inArray(auditLogs.id, old))
      .returning({ id: auditLogs.id })
      .all().length
  })
}
