import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { amountOf } from '../../../../lib/money'
import { ConflictError } from '../../../../lib/errors'
import { nextMonthMs } from '../../../../lib/local-day'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { billingMonthOf, billingTimezoneOf } from '../../../channel/accounts/allowance'
import type { CostSums } from '../../../channel/accounts/cost-month'
import { notifyIn } from '../../../organization/notifications/service'
import { findSpend, type Spend } from '../../../organization/organizations/spend'
import { recordSpendWarningIn } from '../../../organization/organizations/spend-warning'
import { holdersOf } from '../../../organization/roles/holders'
import { costTotals } from './table'
import { noticeText } from '../../../organization/notifications/catalog'

const spentInMonth = compiled((orm) =>
  orm
    .select({
      micros: sql<number>`coalesce(sum(${costTotals.settledMicros} + ${costTotals.estimatedMicros}), 0)`,
    })
    .from(costTotals)
    .where(
      inOrganization(
        anyScope,
        costTotals,
        and(
          eq(costTotals.month, place(costTotals.month, 'month')),
          eq(costTotals.currency, place(costTotals.currency, 'currency')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the costs of all numbers in their months with this name, such as 202610, by currency. */
export const costSumsOfMonth = (ctx: ReadCtx, month: number): CostSums[] =>
  ctx.db.orm
    .select({
      currency: costTotals.currency,
      settledMicros: total(costTotals.settledMicros),
      estimatedMicros: total(costTotals.estimatedMicros),
      estimatedMessages: total(costTotals.estimatedMessages),
      unpricedMessages: total(costTotals.unpricedMessages),
    })
    .from(costTotals)
    .where(inOrganization(ctx, costTotals, eq(costTotals.month, month)))
    .groupBy(costTotals.currency)
    .all()

const total = (column: SQLiteColumn) => sql<number>`sum(${column})`

/**
 * Returns the budget of the month in which a number is billed now, and what all numbers have spent
 * of it; `null` without a budget.
 */
function spentOf(
  ctx: Ctx,
  accountId: string,
): { spend: Spend; month: number; spentMicros: number } | null {
  const spend = findSpend(ctx)
  if (spend === null) return null
  const month = billingMonthOf(ctx, accountId, ctx.clock.nowMs())
  const { organizationId } = ctx
  const { currency } = spend
  const spentMicros = spentInMonth(ctx.db).get({ organizationId, month, currency })?.micros ?? 0
  return { spend, month, spentMicros }
}

/** Reports whether the budget of the month is used up and stops this kind of messages of a number. */
export function isStoppedByBudget(
  ctx: Ctx,
  accountId: string,
  what: 'stop_bots' | 'stop_marketing',
): boolean {
  const found = spentOf(ctx, accountId)
  return (
    found !== null && found.spend.atLimit === what && found.spentMicros >= found.spend.monthlyMicros
  )
}

/** Returns when the next month and its budget start for a number, epoch milliseconds. */
export const nextBudgetMs = (ctx: Ctx, accountId: string): number =>
  nextMonthMs(ctx.clock.nowMs(), billingTimezoneOf(ctx, accountId))

/** The sentence for messages that a used-up budget stops. */
export const BUDGET_REACHED =
  'The monthly budget of the organization is used up, so marketing messages are stopped until ' +
  'the next month.'

/**
 * Rejects a marketing template of an integration if the budget of the month is used up. People are
 * never stopped. Throws ConflictError `budget_reached`.
 */
export function requireBudget(ctx: Ctx, accountId: string, category: string | null): void {
  if (ctx.actor.type !== 'api_key' || category !== 'MARKETING') return
  if (isStoppedByBudget(ctx, accountId, 'stop_marketing'))
    throw new ConflictError(BUDGET_REACHED, { code: 'budget_reached' })
}

/** What happens at the limit, in the notification. */
const AT_LIMIT: Readonly<Record<Spend['atLimit'], string>> = {
  warn: 'Nothing is stopped.',
  stop_bots: 'Automatic messages are stopped when it is used up.',
  stop_marketing: 'Marketing messages are stopped when it is used up.',
}

/**
 * Notifies the members who may change settings when the costs of the month reach a percentage of
 * the budget, once each. Call it after costs of a number have changed, inside the caller's
 * transaction.
 */
export function warnAboutSpendIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const found = spentOf(ctx, accountId)
  if (found === null) return
  const { spend, month, spentMicros } = found
  const percent = spend.warnAt.findLast(
    (each) => BigInt(spentMicros) * 100n >= BigInt(each) * BigInt(spend.monthlyMicros),
  )
  if (percent === undefined || !recordSpendWarningIn(tx, ctx, { month, percent })) return
  for (const userId of holdersOf(tx, ctx, 'settings:update'))
    notifyIn(tx, ctx, {
      userId,
      kind: 'budget_warning',
      severity: percent >= 100 ? 'critical' : 'warning',
      title: `${percent}% of the monthly budget is used`,
      text: noticeText('budget_warning', {
        ...{ percent, currency: spend.currency, at_limit: spend.atLimit },
        ...{ spent: amountOf(spentMicros), budget: amountOf(spend.monthlyMicros) },
      }),
      body:
        `${spend.currency} ${amountOf(spentMicros)} of ${amountOf(spend.monthlyMicros)} are spent ` +
        `this month, estimates included. ${AT_LIMIT[spend.atLimit]}`,
      link: '/settings',
    })
}
