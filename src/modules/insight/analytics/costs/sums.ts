import { amountOf } from '../../../../lib/money'
import type { CostFigures } from './model'

/** Costs of some messages as they are added up. Without a currency they have no price. */
export interface CostCounts {
  currency: string
  billable: number
  free: number
  unpriced: number
  estimated: number
  micros: number
  estimatedMicros: number
}

/** Counts messages and adds up their costs by currency, in whole millionths. */
export class CostSums {
  private billable = 0
  private free = 0
  private unpriced = 0
  private estimated = 0
  private readonly micros = new Map<string, { all: number; estimated: number; messages: number }>()

  /** Adds the costs of some messages. */
  addCounts(counts: CostCounts): void {
    this.billable += counts.billable
    this.free += counts.free
    this.unpriced += counts.unpriced
    this.estimated += counts.estimated
    if (counts.currency === '') return
    const sum = this.micros.get(counts.currency) ?? { all: 0, estimated: 0, messages: 0 }
    sum.all += counts.micros
    sum.estimated += counts.estimatedMicros
    sum.messages += counts.billable + counts.free
    this.micros.set(counts.currency, sum)
  }

  /** The sum in a currency, millionths. */
  microsIn(currency: string | null): number {
    return this.micros.get(currency ?? '')?.all ?? 0
  }

  /** Whether it holds no message. */
  get isEmpty(): boolean {
    return this.billable + this.free + this.unpriced === 0
  }

  /** The currencies, the one with the largest sum first. */
  get currencies(): string[] {
    return [...this.micros]
      .filter(([, { all, messages }]) => messages !== 0 || all !== 0)
      .toSorted(([a, { all }], [b, { all: other }]) => other - all || (a < b ? -1 : 1))
      .map(([currency]) => currency)
  }

  /** Returns the figures with the costs in a currency; `null` if no message has a price. */
  figures(currency: string | null): CostFigures {
    return {
      billable_messages: this.billable,
      free_messages: this.free,
      unpriced_messages: this.unpriced,
      estimated_messages: this.estimated,
      cost: amountOf(this.microsIn(currency)),
      estimated_cost: amountOf(this.micros.get(currency ?? '')?.estimated ?? 0),
      currency,
    }
  }
}
