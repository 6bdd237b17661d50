import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'

import { amountOf } from '../../../lib/money'
import { SERVICE_CHARGED } from '../../../platform/service-charges'
import type { Deps } from '../../../infra/ctx'
import { compiled, atMost, place } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { prices } from './table'

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

/** Category of messages other than templates. */
export const SERVICE = 'SERVICE'

/** Returns whether a category is for templates or for all other messages. */
export const kindOf = (category: string): PriceRow['kind'] =>
  categoryKey(category) === SERVICE ? 'service' : 'template'

const nextCurrency = compiled((orm) =>
  orm
    .select({ currency: prices.currency })
    .from(prices)
    .where(gt(prices.currency, place(prices.currency, 'after')))
    .orderBy(prices.currency)
    .limit(atMost(1))
    .prepare(),
)

/** Maximum number of currencies of the price list. */
const MAX_CURRENCIES = 200

/** Returns the currencies of all prices. Reads one row of the index for each. */
function currenciesIn(deps: Pick<ReadCtx, 'db'>): string[] {
  const known: string[] = []
  for (let after = ''; known.length < MAX_CURRENCIES;) {
    const next = nextCurrency(deps.db).get({ after })
    if (!next) break
    after = next.currency
    known.push(after)
  }
  return known
}

/**
 * Returns the default currency for costs: the only one, else US dollars, else the first; `null` if
 * there are no prices.
 */
export function defaultCurrency(deps: Pick<ReadCtx, 'db'>): string | null {
  const known = currenciesIn(deps)
  return (
    known.find((currency) => known.length === 1 || currency === COMMON_CURRENCY) ?? known[0] ?? null
  )
}

const newestPrice = compiled((orm) => {
  const isExact = sql`${prices.country} = ${place(prices.country, 'country')}`
  return orm
    .select()
    .from(prices)
    .where(
      and(
        eq(prices.kind, place(prices.kind, 'kind')),
        sql`${prices.country} in (${place(prices.country, 'country')}, '*')`,
        eq(prices.category, place(prices.category, 'category')),
        eq(prices.currency, place(prices.currency, 'currency')),
        sql`${prices.applies} in ('always', ${place(prices.applies, 'window')})`,
        lte(prices.effectiveFromMs, place(prices.effectiveFromMs, 'atMs')),
      ),
    )
    .orderBy(
      desc(isExact),
      desc(prices.effectiveFromMs),
      desc(sql`${prices.applies} = ${place(prices.applies, 'window')}`),
    )
    .limit(atMost(1))
    .prepare()
})

const lookUp = (deps: Pick<Deps, 'db'>, query: PriceQuery): PriceRow | null =>
  newestPrice(deps.db).get({
    kind: query.kind ?? kindOf(query.category),
    country: query.country ?? ALL_COUNTRIES,
    category: categoryKey(query.category),
    currency: query.currency,
    window: query.isInsideWindow === true ? 'inside_window' : 'outside_window',
    atMs: query.atMs,
  }) ?? null

const CHARGED_SINCE_MS = Date.parse(SERVICE_CHARGED.date)

/**
 * Returns the newest price that applies at `atMs` for the country, else for all countries
 * (templates contract D). A price of 0 from before October 2026 does not say that messages are
 * free since then: those inside the window have the price outside of it, and those without a
 * template, also if they have no price, that of utility. `null` means that the price is unknown,
 * not zero.
 */
export function findPrice(deps: Pick<Deps, 'db'>, query: PriceQuery): PriceRow | null {
  const row = lookUp(deps, query)
  const isOutdated = row?.priceMicros === 0 && row.effectiveFromMs < CHARGED_SINCE_MS
  if (query.atMs < CHARGED_SINCE_MS || (row && !isOutdated)) return row
  if (categoryKey(query.category) === SERVICE) {
    const { kind: _, ...asUtility } = { ...query, category: 'UTILITY' }
    return findPrice(deps, asUtility)
  }
  return query.isInsideWindow === true ? lookUp(deps, { ...query, isInsideWindow: false }) : row
}

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
