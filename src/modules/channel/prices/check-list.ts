import { max } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { notifySuperAdminsIn } from '../../organization/users/notify-super-admins'
import { prices } from './table'

const MONTHS_PER_QUARTER = 3

/** Returns the last day on which the platform changes prices: the start of the quarter, UTC. */
function quarterStartMs(nowMs: number): number {
  const now = new Date(nowMs)
  const month = now.getUTCMonth()
  return Date.UTC(now.getUTCFullYear(), month - (month % MONTHS_PER_QUARTER), 1)
}

/**
 * Notifies the super admins, once per quarter, if the newest price applies from before the quarter.
 * An empty price list is not in use.
 */
export function checkPriceList(ctx: Ctx): void {
  const sinceMs = quarterStartMs(ctx.clock.nowMs())
  const newest = ctx.db.orm
    .select({ atMs: max(prices.effectiveFromMs) })
    .from(prices)
    .get()
  const newestMs = newest?.atMs ?? null
  if (newestMs === null || newestMs >= sinceMs) return
  const day = isoTime(newestMs).slice(0, 'YYYY-MM-DD'.length)
  transact(ctx.db, (tx) =>
    notifySuperAdminsIn(
      tx,
      ctx,
      {
        kind: 'price_list_old',
        severity: 'warning',
        title: 'The price list is old',
        body:
          `Its newest prices apply from ${day}. The platform changes its prices on the first day ` +
          'of January, April, July and October. Import the current rate card, or costs can be wrong.',
        link: '/prices',
      },
      { onceSinceMs: sinceMs },
    ),
  )
}
