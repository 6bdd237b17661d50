import type { Ctx } from '../../../../infra/ctx'
import { findPrice } from '../../../channel/prices/lookup'

type Scope = Pick<Ctx, 'db'>

/** The price of one message in millionths, and the time since which it applies. */
export interface CampaignPrice {
  micros: number
  sinceMs: number
}

/**
 * Returns the price of a template at a time, outside the 24-hour window by default; `null` if there
 * is no price.
 */
function priceOf(
  scope: Scope,
  input: {
    country: string | null
    category: string
    currency: string
    atMs: number
    isInsideWindow?: boolean
  },
): CampaignPrice | null {
  const row = findPrice(scope, input)
  return row && { micros: row.priceMicros, sinceMs: row.effectiveFromMs }
}

/**
 * The prices of a message to a country outside and inside the 24-hour window; `null` if unknown.
 */
export interface CountryPrices {
  outside: CampaignPrice | null
  inside: CampaignPrice | null
}

/** What the price of a message to a recipient depends on when the messages are sent. */
export interface RecipientWindow {
  /** Whether the 24-hour window is open. Some prices are lower then. */
  isOpen: boolean
  /** Whether all messages are free, for 72 hours after an ad click. */
  isFree: boolean
}

/** The prices of one campaign. Looks up each country once. */
export class PriceList {
  private readonly known = new Map<string, CountryPrices>()

  constructor(
    private readonly scope: Scope,
    private readonly at: { category: string; currency: string | null; atMs: number },
  ) {}

  /** Returns the prices of a message to a country. */
  in(country: string | null): CountryPrices {
    const key = country ?? ''
    const known = this.known.get(key)
    if (known !== undefined) return known
    const prices = { outside: this.find(country, false), inside: this.find(country, true) }
    this.known.set(key, prices)
    return prices
  }

  /** Returns the price of a message to a country, which is 0 if the message is free. */
  of(country: string | null, { isOpen, isFree }: RecipientWindow): CampaignPrice | null {
    const { currency, atMs } = this.at
    if (isFree && currency !== null) return { micros: 0, sinceMs: atMs }
    return this.in(country)[isOpen ? 'inside' : 'outside']
  }

  private find(country: string | null, isInsideWindow: boolean): CampaignPrice | null {
    const { currency } = this.at
    return currency === null
      ? null
      : priceOf(this.scope, { ...this.at, currency, country, isInsideWindow })
  }
}
