import { eq, isNotNull, lte } from 'drizzle-orm'

import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { getOrganization } from '../../../organization/organizations/service'
import { nextOccasion } from './rules'
import { scheduledReportMails, scheduledReportRuns, scheduledReports } from './table'

/**
 * Leaves out the reports of a restored database whose time has passed, and emails that were being
 * sent: people may have them already.
 */
export function leaveOutMissedReports(deps: Pick<Deps, 'db' | 'clock' | 'ids'>): void {
  const nowMs = deps.clock.nowMs()
  const all = 'a restore concerns all organizations'
  transact(deps.db, (tx) => {
    const missed = tx
      .select()
      .from(scheduledReports)
      .where(acrossOrganizations(all, lte(scheduledReports.nextAtMs, nowMs)))
      .all()
    for (const row of missed) {
      const ctx = systemCtx(deps as Deps, row.organizationId) // only its scope and clock are used
      rescheduleIn(tx, ctx, row)
    }
    tx.update(scheduledReportRuns)
      .set({ state: 'left_out', endedAtMs: nowMs })
      .where(acrossOrganizations(all, eq(scheduledReportRuns.state, 'sending')))
      .run()
    tx.update(scheduledReportMails)
      .set({ state: 'left_out', updatedAtMs: nowMs })
      .where(acrossOrganizations(all, eq(scheduledReportMails.state, 'pending')))
      .run()
  })
}

function rescheduleIn(tx: Tx, ctx: Ctx, row: typeof scheduledReports.$inferSelect): void {
  const { timezone } = getOrganization(ctx)
  tx.update(scheduledReports)
    .set({ nextAtMs: nextOccasion(row, timezone, ctx.clock.nowMs()).dueAtMs })
    .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, row.id)))
    .run()
}

/** Gives all active reports of an imported organization their next time. */
export function rescheduleReportsIn(tx: Tx, ctx: Ctx): void {
  const active = tx
    .select()
    .from(scheduledReports)
    .where(inOrganization(ctx, scheduledReports, isNotNull(scheduledReports.nextAtMs)))
    .all()
  for (const row of active) rescheduleIn(tx, ctx, row)
}
