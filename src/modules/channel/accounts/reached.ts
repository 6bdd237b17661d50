import { and, count, eq, gt, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { portfolioReach } from '../../outreach/campaigns/table'
import type { AccountRow } from './view'

/** A number, as far as it tells whose messaging limit it uses. */
type Portfolio = Pick<AccountRow, 'portfolioId' | 'businessId'>

/**
 * The business portfolio whose messaging limit a phone number uses; its business account if the
 * portfolio is unknown.
 */
export const portfolioOf = ({ portfolioId, businessId }: Portfolio): string =>
  portfolioId ?? businessId

/** Contacts that templates of the portfolio reached outside their windows within 24 hours. */
export const isReachedLately = (portfolio: Portfolio, nowMs: number): SQL | undefined =>
  and(eq(portfolioReach.portfolio, portfolioOf(portfolio)), gt(portfolioReach.atMs, nowMs - DAY_MS))

/** Counts them: the use of the portfolio's messaging limit. */
export const countReached = (
  scope: Pick<ReadCtx, 'db' | 'organizationId'>,
  portfolio: Portfolio,
  nowMs: number,
): number =>
  scope.db.orm
    .select({ rows: count() })
    .from(portfolioReach)
    .where(inOrganization(scope, portfolioReach, isReachedLately(portfolio, nowMs)))
    .get()?.rows ?? 0
