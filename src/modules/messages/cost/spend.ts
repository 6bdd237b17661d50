import { and, eq, sql } from 'drizzle-orm'

import { amountOf } from '../../../lib/money'
import { ConflictError } from '../../../lib/errors'
import { nextMonthMs } from '../../../lib/local-day'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { opaqueParam } from '../../../infra/db/opaque-param'
import type { Tx } from '../../../infra/db/transact'
import { billingMonthOf } from '../../accounts/allowance'
import { notifyIn } from '../../notifications/service'
import { getOrganization } from '../../organizations/service'
import { spendIn, type Spend } from '../../organizations/spend'
import { recordSpendWarningIn } from '../../organizations/spend-warning'
import { holdersOf } from '../../roles/holders'
import { costTotals } from './table'

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
          eq(costTotals.month, opaqueParam('month')),
          eq(costTotals.currency, opaqueParam('currency')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the budget of this month and what is spent of it; `null` without a budget. */
function spentOf(ctx: Ctx): { spend: Spend; month: number; spentMicros: number } | null {
  const spend = spendIn(getOrganization(ctx))
  if (spend === null) return null
  const month = billingMonthOf(ctx, ctx.clock.nowMs())
  const { organizationId } = ctx
  const { currency } = spend
  const spentMicros = spentInMonth(ctx.db).get({ organizationId, month, currency })?.micros ?? 0
  return { spend, month, spentMicros }
}

/** Reports whether the budget of the month is used up and stops this kind of messages. */
export function isStoppedByBudget(ctx: Ctx, what: 'stop_bots' | 'stop_marketing'): boolean {
  const found = spentOf(ctx)
  return (
    found !== null && found.spend.atLimit === what && found.spentMicros >= found.spend.monthlyMicros
  )
}

/** Returns when the next month and its budget start, epoch milliseconds. */
export const nextBudgetMs = (ctx: Ctx): number =>
  nextMonthMs(ctx.clock.nowMs(), getOrganization(ctx).timezone)

/** The sentence for messages that a used-up budget stops. */
export const BUDGET_REACHED =
  'The monthly budget of the organization is used up, so marketing messages are stopped until ' +
  'the next month.'

/**
 * Rejects a marketing template of an integration if the budget of the month is used up. People are
 * never stopped. Throws ConflictError `budget_reached`.
 */
export function requireBudget(ctx: Ctx, category: string | null): void {
  if (ctx.actor.type !== 'api_key' || category !== 'MARKETING') return
  if (isStoppedByBudget(ctx, 'stop_marketing'))
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
 * the budget, once each. Call it after costs have changed, inside the caller's transaction.
 */
export function warnAboutSpendIn(tx: Tx, ctx: Ctx): void {
  const found = spentOf(ctx)
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
      body:
        `${spend.currency} ${amountOf(spentMicros)} of ${amountOf(spend.monthlyMicros)} are spent ` +
        `this month, estimates included. ${AT_LIMIT[spend.atLimit]}`,
      link: '/settings',
    })
}
