import { and, eq, isNull, or, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import type { Deps, JobCtx } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import type { Outcome } from '../../../infra/jobs/work'
import { PlatformError } from '../../../platform/client/errors'
import { runHealthCheck } from './health-check'
import { findAccount } from './queries'
import { accounts } from './table'

/**
 * Time between health checks of a number, and of one whose token was rejected (messaging contract
 * 2).
 */
const CHECK_INTERVAL_MS = DAY_MS
export const REJECTED_CHECK_INTERVAL_MS = 10 * MINUTE_MS

/** Maximum number of checks that one round enqueues. Rounds are a minute apart. */
const MAX_AT_ONCE = 500

/**
 * Returns the numbers of the installation that are due for a health check, including those whose
 * business account was never checked.
 */
export function accountsDueForCheck(
  deps: Pick<Deps, 'db' | 'clock'>,
): { id: string; organizationId: string }[] {
  const nowMs = deps.clock.nowMs()
  const lastMs = sql<number>`coalesce(${accounts.lastCheckedAtMs}, ${accounts.createdAtMs})`
  const isDue = sql`${lastMs} <= ${nowMs - CHECK_INTERVAL_MS}`
  const isRejectedAndDue = sql`max(coalesce(${accounts.lastCheckedAtMs}, 0), coalesce(${accounts.lastErrorAtMs}, 0)) <= ${nowMs - REJECTED_CHECK_INTERVAL_MS}`
  const isUnchecked = sql`${accounts.businessLink} = 'unchecked'`
  return deps.db.orm
    .select({ id: accounts.id, organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      inWorkingOrganizations(
        'the health check goes through the numbers of all organizations',
        accounts,
        and(
          isNull(accounts.deletedAtMs),
          or(isDue, isUnchecked, and(eq(accounts.status, 'disconnected'), isRejectedAndDue)),
        ),
      ),
    )
    .orderBy(lastMs)
    .limit(MAX_AT_ONCE)
    .all()
}

/** Runs the health check of one number. If the platform cannot answer, the number stays due. */
export async function checkAccount(ctx: JobCtx, accountId: string): Promise<Outcome> {
  const row = findAccount(ctx, accountId)
  if (!row || row.deletedAtMs !== null) return { cancel: 'the number is not connected' }
  try {
    await runHealthCheck(ctx, row)
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return { cancel: 'the platform could not be reached' }
    throw error
  }
}
