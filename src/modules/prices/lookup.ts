import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm'

import { amountOf } from '../../lib/money'
import type { Deps } from '../../infra/ctx'
import { prices } from './table'

/** A price as stored. */
export type PriceRow = typeof prices.$inferSelect

/** The default if there are prices in several currencies. */
const COMMON_CURRENCY = 'USD'

/** Applies to every country without a price of its own. */
export const ALL_COUNTRIES = '*'

/** The message to price. */
export interface PriceQuery {
  /** ISO 3166 code of the recipient's country; `null` if unknown. */
  country: string | null
  /** MARKETING, UTILITY, AUTHENTICATION, SERVICE, … in any spelling the platform uses. */
  category: string
  kind?: PriceRow['kind']
  atMs: number
  /** Whether the 24-hour window is open; unknown counts as closed. */
  isInsideWindow?: boolean | undefined
  currency: string
}

/**
 * Normalizes a category: the platform writes `-` and `_`, in any case (platform documentation 1.9).
 */
export const categoryKey = (category: string): string =>
  category.trim().replaceAll('-', '_').toUpperCase()

/** Returns the currencies of all prices. */
const currenciesIn = (deps: Pick<Deps, 'db'>): string[] =>
  deps.db.orm
    .selectDistinct({ currency: prices.currency })
    .from(prices)
    .orderBy(prices.currency)
    .all()
    .map(({ currency }) => currency)

/**
 * Returns the default currency for costs: the only one, else US dollars, else the first; `null` if
 * there are no prices.
 */
export function defaultCurrency(deps: Pick<Deps, 'db'>): string | null {
  const known = currenciesIn(deps)
  return (
    known.find((currency) => known.length === 1 || currency === COMMON_CURRENCY) ?? known[0] ?? null
  )
}

/**
 * Returns the newest price that applies at `atMs` for the country, else for all countries
 * (templates contract D). `null` means that the price is unknown, not zero.
 */
export function findPrice(deps: Pick<Deps, 'db'>, query: PriceQuery): PriceRow | null {
  const window = query.isInsideWindow === true ? 'inside_window' : 'outside_window'
  const isExact = sql`${prices.country} = ${query.country ?? ALL_COUNTRIES}`
  return (
    deps.db.orm
      .select()
      .from(prices)
      .where(
        and(
          eq(prices.kind, query.kind ?? 'template'),
          inArray(
            prices.country,
            query.country === null ? [ALL_COUNTRIES] : [query.country, ALL_COUNTRIES],
          ),
          eq(prices.category, categoryKey(query.category)),
          eq(prices.currency, query.currency),
          inArray(prices.applies, ['always', window]),
          lte(prices.effectiveFromMs, query.atMs),
        ),
      )
      .orderBy(
        desc(isExact),
        desc(prices.effectiveFromMs),
        desc(sql`${prices.applies} = ${window}`),
      )
      .limit(1)
      .get() ?? null
  )
}

/** Returns the times at which prices change, epoch milliseconds, in order. */
export const priceChanges = (deps: Pick<Deps, 'db'>): number[] =>
  deps.db.orm
    .selectDistinct({ atMs: prices.effectiveFromMs })
    .from(prices)
    .orderBy(prices.effectiveFromMs)
    .all()
    .map(({ atMs }) => atMs)

/**
 * Reports whether costs can be calculated in a currency: there are prices in it, or no prices at
 * all yet.
 */
export function isPriced(deps: Pick<Deps, 'db'>, currency: string): boolean {
  const known = currenciesIn(deps)
  return known.length === 0 || known.includes(currency)
}

/** A cost in API responses. */
export interface Cost {
  amount: string
  currency: string
}

/** Returns the price of a template message in the default currency; `null` if it is unknown. */
export function estimateOf(
  deps: Pick<Deps, 'db'>,
  query: Omit<PriceQuery, 'currency' | 'kind'>,
): Cost | null {
  const currency = defaultCurrency(deps)
  const price = currency === null ? null : findPrice(deps, { ...query, currency })
  return price && { amount: amountOf(price.priceMicros), currency: price.currency }
}
