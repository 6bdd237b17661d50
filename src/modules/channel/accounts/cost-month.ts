import { amountOf } from '../../../lib/money'
import type { CostMonth } from './connection/model'

/** Sums of the costs of a month in one currency; empty for messages without any price. */
export interface CostSums {
  currency: string
  settledMicros: number
  estimatedMicros: number
  estimatedMessages: number
  unpricedMessages: number
}

/**
 * Returns the cost of a month in the currency with the largest sum, as the API shows it; `null` if
 * no message has a price.
 */
export function costMonthView(rows: readonly CostSums[]): CostMonth | null {
  const sumOf = (row: CostSums): number => row.settledMicros + row.estimatedMicros
  const [most] = rows
    .filter(({ currency }) => currency !== '')
    .toSorted((a, b) => sumOf(b) - sumOf(a) || (a.currency < b.currency ? -1 : 1))
  if (!most) return null
  return {
    amount: amountOf(sumOf(most)),
    estimated_amount: amountOf(most.estimatedMicros),
    currency: most.currency,
    is_estimate: most.estimatedMessages > 0,
    unpriced_messages: rows.reduce((sum, { unpricedMessages }) => sum + unpricedMessages, 0),
  }
}
