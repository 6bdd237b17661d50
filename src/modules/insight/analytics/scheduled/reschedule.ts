import { eq } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { getOrganization } from '../../../organization/organizations/service'
import { scheduledReportRows } from './queries'
import { lastOccasion, nextOccasion } from './rules'
import { scheduledReports } from './table'

/** How far apart the same local time can be in two time zones. */
const ZONES_APART_MS = 26 * HOUR_MS

/**
 * Sets the time at which each report is due by the organization's new time zone, in the caller's
 * transaction. A report whose time the local clocks have jumped over is due at once.
 */
export function rescheduleReportsIn(tx: Tx, ctx: Ctx): void {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  for (const row of scheduledReportRows(ctx)) {
    if (row.nextAtMs === null) continue
    const last = lastOccasion(row, timezone, nowMs)
    const isJumpedOver =
      row.nextAtMs > last.dueAtMs && row.nextAtMs - last.dueAtMs <= ZONES_APART_MS
    const { dueAtMs } = isJumpedOver ? last : nextOccasion(row, timezone, nowMs)
    tx.update(scheduledReports)
      .set({ nextAtMs: dueAtMs })
      .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, row.id)))
      .run()
  }
}
