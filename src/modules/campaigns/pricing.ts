import type { Ctx } from '../../infra/ctx'
import { findPrice } from '../prices/lookup'

type Scope = Pick<Ctx, 'db'>

/** What one message of a campaign costs, millionths, and since when that applies. */
export interface CampaignPrice {
  micros: number
  sinceMs: number
}

/** What a template costs outside of open windows at a time; `null` where the table of prices says nothing. */
export function priceOf(
  scope: Scope,
  asked: { country: string | null; category: string; currency: string; atMs: number },
): CampaignPrice | null {
  const row = findPrice(scope, asked)
  return row && { micros: row.priceMicros, sinceMs: row.effectiveFromMs }
}

/** Prices of one campaign, each looked up once. */
export class PriceList {
  private readonly known = new Map<string, CampaignPrice | null>()

  constructor(
    private readonly scope: Scope,
    private readonly at: { category: string; currency: string | null; atMs: number },
  ) {}

  /** What a message to a country costs; `null` where that is not known. */
  of(country: string | null): CampaignPrice | null {
    const { currency } = this.at
    if (currency === null) return null
    const key = country ?? ''
    const known = this.known.get(key)
    if (known !== undefined) return known
    const price = priceOf(this.scope, { ...this.at, currency, country })
    this.known.set(key, price)
    return price
  }
}
