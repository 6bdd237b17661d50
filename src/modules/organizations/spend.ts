import { amountOf, microsOf } from '../../lib/money'
import type { SpendChange, SpendView } from './model'
import type { organizations } from './table'

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
    warnAt: [...new Set(change.warn_at ?? DEFAULT_WARN_AT)].toSorted((a, b) => a - b),
    atLimit: change.at_limit ?? 'warn',
  } satisfies Spend)
