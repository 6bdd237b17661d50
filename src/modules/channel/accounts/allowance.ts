import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm'

import { localMonthOf } from '../../../lib/local-day'
import { anyScope, inOrganization } from '../../../infra/ctx'
import { compiled, atMost, place } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { SERVICE_CHARGED } from '../../../platform/service-charges'
import { serviceCounts } from '../../inbox/messages/cost/table'
import { getOrganization } from '../../organization/organizations/service'
import { organizations } from '../../organization/organizations/table'
import { prices } from '../prices/table'
import { accounts } from './table'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

const zoneOfAccount = compiled((orm) =>
  orm
    .select({
      timezone: sql<string>`coalesce(${accounts.billingTimezone}, ${organizations.timezone})`,
    })
    .from(accounts)
    .innerJoin(organizations, eq(organizations.id, accounts.organizationId))
    .where(inOrganization(anyScope, accounts, eq(accounts.id, place(accounts.id, 'accountId'))))
    .prepare(),
)

/**
 * Returns the time zone by whose months the platform bills a number: that of its business account,
 * or the organization's while the platform has not reported it.
 */
export const billingTimezoneOf = (scope: Scope, accountId: string): string =>
  zoneOfAccount(scope.db).get({ organizationId: scope.organizationId, accountId })?.timezone ??
  getOrganization(scope).timezone

/** Returns the month of an instant in which the platform bills a number, such as 202610. */
export const billingMonthOf = (scope: Scope, accountId: string, atMs: number): number =>
  localMonthOf(atMs, billingTimezoneOf(scope, accountId))

const statedAllowance = compiled((orm) =>
  orm
    .select({ freePerMonth: prices.freePerMonth })
    .from(prices)
    .where(
      and(
        sql`${prices.kind} = 'service'`,
        isNotNull(prices.freePerMonth),
        lt(prices.effectiveFromMs, place(prices.effectiveFromMs, 'beforeMs')),
      ),
    )
    .orderBy(
      desc(prices.effectiveFromMs),
      desc(sql`${prices.country} = '*'`),
      desc(prices.freePerMonth),
    )
    .limit(atMost(1))
    .prepare(),
)

/**
 * Returns how many service messages of each number are free in a month, such as 202610. The newest
 * number that the price list states by the end of the month (UTC) applies, else that of the
 * platform's rule; 0 before the platform charged any.
 */
export const freeServiceMessages = (scope: Pick<ReadCtx, 'db'>, month: number): number =>
  statedAllowance(scope.db).get({ beforeMs: Date.UTC(Math.floor(month / 100), month % 100) })
    ?.freePerMonth ?? (month < SERVICE_CHARGED.month ? 0 : SERVICE_CHARGED.freePerMonth)

const countsOfMonth = compiled((orm) =>
  orm
    .select({
      sent: serviceCounts.sent,
      delivered: serviceCounts.delivered,
      erasedFree: serviceCounts.erasedFree,
    })
    .from(serviceCounts)
    .where(
      inOrganization(
        anyScope,
        serviceCounts,
        and(
          eq(serviceCounts.accountId, place(serviceCounts.accountId, 'accountId')),
          eq(serviceCounts.month, place(serviceCounts.month, 'month')),
        ),
      ),
    )
    .prepare(),
)

/** Returns how many service messages of a number were sent and delivered in a month. */
export const serviceCountsOf = (
  scope: Scope,
  at: { accountId: string; month: number },
): { sent: number; delivered: number; erasedFree: number } =>
  countsOfMonth(scope.db).get({ organizationId: scope.organizationId, ...at }) ?? {
    sent: 0,
    delivered: 0,
    erasedFree: 0,
  }

/** Reports whether the free service messages of a number are used up this month. */
export function isAllowanceUsedUp(ctx: Scope, accountId: string, month: number): boolean {
  if (month < SERVICE_CHARGED.month) return false
  return serviceCountsOf(ctx, { accountId, month }).delivered >= freeServiceMessages(ctx, month)
}
