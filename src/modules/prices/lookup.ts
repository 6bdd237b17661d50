import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm'

import { amountOf } from '../../lib/money'
import type { Deps } from '../../infra/ctx'
import { prices } from './table'

/** A price as its row holds it. */
export type PriceRow = typeof prices.$inferSelect

/** The currency of a table with several, where none is asked for. */
const COMMON_CURRENCY = 'USD'

/** Stands for every country that has no price of its own. */
export const ANYWHERE = '*'

/** What a price is asked for. */
export interface PriceQuery {
  /** ISO 3166 code of the recipient's country; `null` when it is not known. */
  country: string | null
  /** MARKETING, UTILITY, AUTHENTICATION, SERVICE, … in any spelling of the platform's. */
  category: string
  kind?: PriceRow['kind']
  atMs: number
  /** Whether the window is open then; left out where nobody knows, which counts as closed. */
  isInsideWindow?: boolean | undefined
  currency: string
}

/** Categories come with `-` and `_`, in any case (platform documentation 1.9). */
export const categoryKey = (category: string): string =>
  category.trim().replaceAll('-', '_').toUpperCase()

/** The currencies there are prices in. */
const currenciesIn = (deps: Pick<Deps, 'db'>): string[] =>
  deps.db.orm
    .selectDistinct({ currency: prices.currency })
    .from(prices)
    .orderBy(prices.currency)
    .all()
    .map(({ currency }) => currency)

/**
 * The currency that is reckoned in where none is asked for: the only one there is, else US dollars,
 * else the first; `null` without any price.
 */
export function defaultCurrency(deps: Pick<Deps, 'db'>): string | null {
  const known = currenciesIn(deps)
  return (
    known.find((currency) => known.length === 1 || currency === COMMON_CURRENCY) ?? known[0] ?? null
  )
}

/**
 * The price of one message: of the row of its country, else of every country, that has begun last
 * by then (templates contract D). `null` without a row: nobody knows what it costs, which is not
 * nothing.
 */
export function findPrice(deps: Pick<Deps, 'db'>, asked: PriceQuery): PriceRow | null {
  const place = asked.isInsideWindow === true ? 'inside_window' : 'outside_window'
  const isExact = sql`${prices.country} = ${asked.country ?? ANYWHERE}`
  return (
    deps.db.orm
      .select()
      .from(prices)
      .where(
        and(
          eq(prices.kind, asked.kind ?? 'template'),
          inArray(prices.country, asked.country === null ? [ANYWHERE] : [asked.country, ANYWHERE]),
          eq(prices.category, categoryKey(asked.category)),
          eq(prices.currency, asked.currency),
          inArray(prices.applies, ['always', place]),
          lte(prices.effectiveFromMs, asked.atMs),
        ),
      )
      .orderBy(desc(isExact), desc(prices.effectiveFromMs), desc(sql`${prices.applies} = ${place}`))
      .limit(1)
      .get() ?? null
  )
}

/**
 * When prices of any kind begin to hold, epoch milliseconds, in order: between two of these every
 * price is the same.
 */
export const priceChanges = (deps: Pick<Deps, 'db'>): number[] =>
  deps.db.orm
    .selectDistinct({ atMs: prices.effectiveFromMs })
    .from(prices)
    .orderBy(prices.effectiveFromMs)
    .all()
    .map(({ atMs }) => atMs)

/** Whether costs can be reckoned in a currency: there are prices in it, or none at all yet. */
export function isPriced(deps: Pick<Deps, 'db'>, currency: string): boolean {
  const known = currenciesIn(deps)
  return known.length === 0 || known.includes(currency)
}

/** A cost as the API answers it. */
export interface Cost {
  amount: string
  currency: string
}

/** What a template costs in the currency that goes without saying; `null` where nobody knows. */
export function estimateOf(
  deps: Pick<Deps, 'db'>,
  asked: Omit<PriceQuery, 'currency' | 'kind'>,
): Cost | null {
  const currency = defaultCurrency(deps)
  const price = currency === null ? null : findPrice(deps, { ...asked, currency })
  return price && { amount: amountOf(price.priceMicros), currency: price.currency }
}
