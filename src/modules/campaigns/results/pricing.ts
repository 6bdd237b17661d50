import type { Ctx } from '../../../infra/ctx'
import { findPrice } from '../../prices/lookup'

type Scope = Pick<Ctx, 'db'>

/** What one message of a campaign costs, millionths, and since when that applies. */
export interface CampaignPrice {
  micros: number
  sinceMs: number
}

/**
 * What a template costs at a time, outside of open windows unless said; `null` where the table of
 * prices says nothing.
 */
export function priceOf(
  scope: Scope,
  asked: {
    country: string | null
    category: string
    currency: string
    atMs: number
    isInsideWindow?: boolean
  },
): CampaignPrice | null {
  const row = findPrice(scope, asked)
  return row && { micros: row.priceMicros, sinceMs: row.effectiveFromMs }
}

/**
 * What a message to a country costs outside and inside of open windows; `null` where that is not
 * known.
 */
export interface CountryPrices {
  outside: CampaignPrice | null
  inside: CampaignPrice | null
}

/** Prices of one campaign, each looked up once. */
export class PriceList {
  private readonly known = new Map<string, CountryPrices>()

  constructor(
    private readonly scope: Scope,
    private readonly at: { category: string; currency: string | null; atMs: number },
  ) {}

  /** What a message to a country costs. */
  in(country: string | null): CountryPrices {
    const key = country ?? ''
    const known = this.known.get(key)
    if (known !== undefined) return known
    const prices = { outside: this.find(country, false), inside: this.find(country, true) }
    this.known.set(key, prices)
    return prices
  }

  /**
   * What a message to somebody there costs; whether the window is open is asked only where that
   * matters.
   */
  of(country: string | null, isInsideWindow: () => boolean): CampaignPrice | null {
    const { outside, inside } = this.in(country)
    return outside?.micros === inside?.micros || !isInsideWindow() ? outside : inside
  }

  private find(country: string | null, isInsideWindow: boolean): CampaignPrice | null {
    const { currency } = this.at
    return currency === null
      ? null
      : priceOf(this.scope, { ...this.at, currency, country, isInsideWindow })
  }
}
