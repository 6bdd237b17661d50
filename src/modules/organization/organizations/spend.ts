import { eq, type SQL } from 'drizzle-orm'

import { fieldSentence, InvalidError } from '../../../lib/errors'
import { amountOf, microsOf } from '../../../lib/money'
import type { Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { prices } from '../../channel/prices/table'
import { MAX_WARNINGS, type SpendChange, type SpendView } from './model'
import { organizations } from './table'

type OrganizationRow = typeof organizations.$inferSelect

/** Monthly budget of an organization. */
export interface Spend {
  monthlyMicros: number
  currency: string
  /** Percentages of the budget at which people are notified, in order. */
  warnAt: number[]
  atLimit: SpendView['at_limit']
}

const DEFAULT_WARN_AT = [50, 80, 100]

/** Returns the monthly budget of an organization; `null` if it has none. */
export const spendIn = ({ spend }: Pick<OrganizationRow, 'spend'>): Spend | null =>
  spend === null ? null : (JSON.parse(spend) as Spend)

const storedSpendOf = compiled((orm) =>
  orm
    .select({ spend: organizations.spend })
    .from(organizations)
    .where(eq(organizations.id, place(organizations.id, 'organizationId')))
    .prepare(),
)

/**
 * Returns the monthly budget of the organization of the scope; `null` if it has none. Each message
 * asks several times, so nothing else is read.
 */
export function findSpend({
  db,
  organizationId,
}: Pick<Ctx, 'db' | 'organizationId'>): Spend | null {
  const row = storedSpendOf(db).get({ organizationId })
  return row ? spendIn(row) : null
}

/** Returns a budget as the API shows it. */
export const spendView = (row: Pick<OrganizationRow, 'spend'>): SpendView | null => {
  const spend = spendIn(row)
  return (
    spend && {
      monthly: amountOf(spend.monthlyMicros),
      currency: spend.currency,
      warn_at: spend.warnAt,
      at_limit: spend.atLimit,
    }
  )
}

/** Returns a budget as it is stored, JSON. Fields that are not given have their defaults. */
export const storedSpend = (change: SpendChange | null): string | null =>
  change &&
  JSON.stringify({
    monthlyMicros: microsOf(change.monthly) ?? 0,
    currency: change.currency,
    warnAt: change.warn_at ?? DEFAULT_WARN_AT,
    atLimit: change.at_limit ?? 'warn',
  } satisfies Spend)

const refused = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/** Returns percentages of a budget as requests may write them: without others, and rising. */
export const allowedWarnings = (percents: readonly number[]): number[] =>
  [...new Set(percents)]
    .filter((percent) => Number.isInteger(percent) && percent >= 1 && percent <= 100)
    .toSorted((a, b) => a - b)
    .slice(0, MAX_WARNINGS)

/** Throws InvalidError unless each percentage of a budget is above the one before it. */
export function requireRisingWarnings({ warn_at: warnAt = [] }: SpendChange): void {
  const at = warnAt.findIndex((percent, index) => index > 0 && percent <= (warnAt[index - 1] ?? 0))
  if (at !== -1) throw refused(`body.spend.warn_at.${at}`, 'must be above the one before it')
}

/**
 * Requires that the price list has prices in the currency of a budget, or none at all yet: costs in
 * another currency are never counted. Throws InvalidError.
 */
export function requirePricedCurrency(ctx: Ctx, { currency }: SpendChange): void {
  const hasPrices = (isOf?: SQL): boolean =>
    ctx.db.orm.select({ id: prices.id }).from(prices).where(isOf).limit(1).get() !== undefined
  if (hasPrices(eq(prices.currency, currency)) || !hasPrices()) return
  throw refused('body.spend.currency', 'must be a currency of the price list')
}
