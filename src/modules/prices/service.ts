import { parse, CsvError } from 'csv-parse/sync'
import { and, asc, count, eq, gt, lte, sql, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'

import { isoTime } from '../../lib/clock'
import { InvalidError } from '../../lib/errors'
import { instantMs, isDay } from '../../lib/instant'
import { amountOf, microsOf } from '../../lib/money'
import { numberedPage, totalAtEnd, type Page } from '../../lib/page'
import { isCountry } from '../../lib/phone'
import type { Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import type { StagedFile } from '../../infra/files/staged'
import { recordAudit } from '../audit/service'
import { ANYWHERE, categoryKey, type PriceRow } from './lookup'
import type { NewPrices, PricesImported, PriceView } from './model'
import { prices } from './table'

type Given = NonNullable<NewPrices['rows']>[number]
type Price = Omit<PriceRow, 'id' | 'createdAtMs'>

const MOST_ROWS = 10_000
const MOST_TOLD = 1_000
/** Prices of one import, each country of a market being one. */
const MOST_PRICES = 100_000
/** Prices written in one transaction. */
const PUT_AT_ONCE = 100

/** Which prices are shown. */
export interface PricesQuery {
  page: number
  limit: number
  country?: string | undefined
  category?: string | undefined
  currency?: string | undefined
  /** Only those that apply then. */
  atMs?: number | undefined
}

/** The table of prices, by country and category, the newest first. */
export function listPrices(ctx: Ctx, query: PricesQuery): Page<PriceView> {
  const filter = and(...conditionsOf(query))
  const rows = ctx.db.orm
    .select()
    .from(prices)
    .where(filter)
    .orderBy(asc(prices.country), asc(prices.category), asc(prices.currency), sql`${prices.effectiveFromMs} desc`, asc(prices.applies))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = totalAtEnd(rows.length, query) ?? ctx.db.orm.select({ rows: count() }).from(prices).where(filter).get()?.rows ?? 0
  return numberedPage(rows.slice(0, query.limit).map(priceView), total, query)
}

function conditionsOf({ country, category, currency, atMs }: PricesQuery): (SQL | undefined)[] {
  const newer = alias(prices, 'newer')
  const overtaken = sql`exists (select 1 from ${prices} as newer where newer.kind = ${prices.kind} and newer.country = ${prices.country}
    and newer.category = ${prices.category} and newer.currency = ${prices.currency} and newer.applies = ${prices.applies}
    and ${gt(newer.effectiveFromMs, prices.effectiveFromMs)} and ${lte(newer.effectiveFromMs, atMs ?? 0)})`
  return [
    country === undefined ? undefined : eq(prices.country, country.toUpperCase()),
    category === undefined ? undefined : eq(prices.category, categoryKey(category)),
    currency === undefined ? undefined : eq(prices.currency, currency.toUpperCase()),
    atMs === undefined ? undefined : and(lte(prices.effectiveFromMs, atMs), sql`not ${overtaken}`),
  ]
}

const priceView = (row: PriceRow): PriceView => ({
  country: row.country,
  category: row.category,
  kind: row.kind,
  price: amountOf(row.priceMicros),
  currency: row.currency,
  inside_window: row.applies === 'always' ? null : row.applies === 'inside_window',
  free_per_month: row.freePerMonth,
  effective_from: isoTime(row.effectiveFromMs),
  source: row.source,
})

/**
 * Takes rows of prices in, from JSON or a CSV file with the same names in its header. A row for a place that has one with the same date
 * replaces it; rows that say nothing sensible are told and left out. Throws InvalidError `empty_file` and `malformed_csv`.
 */
export async function importPrices(ctx: Ctx, { rows, file }: NewPrices & { file?: StagedFile | undefined }): Promise<PricesImported> {
  const given = file ? rowsOf(await Bun.file(file.path).text()) : (rows ?? []).map(inTexts)
  if (given.length === 0)
    throw new InvalidError('There are no rows.', { code: 'empty_file', errors: [{ path: 'body.rows', message: 'is required, or a file' }] })
  if (given.length > MOST_ROWS)
    throw new InvalidError(`At most ${MOST_ROWS} rows are taken at once.`, {
      errors: [{ path: 'body.file', message: `must have at most ${MOST_ROWS} rows` }],
    })
  const read = given.map((row, index) => ({ row: index + 1, ...readRow(row) }))
  const invalid = read.flatMap(({ row, reason }) => (reason === null ? [] : [{ row, reason }]))
  const found = read.flatMap((row) => row.found)
  if (found.length > MOST_PRICES)
    throw new InvalidError(`At most ${MOST_PRICES} prices are taken at once, each country of a row being one.`, {
      errors: [{ path: 'body.rows', message: `must come to at most ${MOST_PRICES} prices` }],
    })
  const counts = { imported: 0, replaced: 0 }
  // A market is many countries: others get their turn in between, and rows that are there already are only replaced once more.
  let at = 0
  while (found.length - at > PUT_AT_ONCE) {
    for (const one of transact(ctx.db, (tx) => found.slice(at, at + PUT_AT_ONCE).map((price) => putIn(tx, ctx, price)))) counts[one] += 1
    at += PUT_AT_ONCE
    await new Promise((resolve) => setImmediate(resolve))
  }
  return transact(ctx.db, (tx) => {
    for (const price of found.slice(at)) counts[putIn(tx, ctx, price)] += 1
    recordAudit(tx, ctx, {
      action: 'imported',
      resourceType: 'prices',
      resourceId: null,
      resourceName: null,
      changes: Object.entries(counts).map(([field, value]) => ({ field, old_value: null, new_value: value })),
    })
    return { ...counts, invalid: invalid.slice(0, MOST_TOLD) }
  })
}

/** A row as a file would have it: every value a text. */
const inTexts = (row: Given): Given =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value == null ? '' : typeof value === 'object' ? '?' : String(value)]),
  )

/** What separates cells: of what stands in the header the most frequent one. */
function delimiterOf(text: string): string {
  const header = text.split(/[\r\n]/, 1)[0] ?? ''
  return [',', ';', '\t'].toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ','
}

/** The rows of a CSV text, by the names in its header. */
function rowsOf(text: string): Given[] {
  try {
    return parse(text, {
      bom: true,
      columns: (names: string[]) =>
        names.map((name) =>
          name
            .trim()
            .toLowerCase()
            .replaceAll(/[\s-]+/g, '_'),
        ),
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new InvalidError('The file is broken CSV.', { code: 'malformed_csv', errors: [{ path: 'body.file', message: 'is broken CSV' }] })
  }
}

const NOTHING: Price[] = []

/** The prices a row stands for: one of each of its countries; or why it stands for none. */
function readRow(row: Given): { found: Price[]; reason: string | null } {
  const wrong = (reason: string) => ({ found: NOTHING, reason })
  const countries = (row.country ?? '').split('|').map((country) => country.trim().toUpperCase())
  const odd = countries.find((country) => country !== ANYWHERE && !isCountry(country))
  if (odd !== undefined) return wrong(odd === '' ? 'country is missing' : `country ${odd.slice(0, 40)} is not known`)
  const category = categoryKey(row.category ?? '')
  if (!/^[A-Z][A-Z_]{2,49}$/.test(category)) return wrong('category is missing or malformed')
  const kind = (row.kind ?? '').trim().toLowerCase() || 'template'
  if (kind !== 'template' && kind !== 'service') return wrong('kind must be template or service')
  const priceMicros = microsOf(String(row.price ?? ''))
  if (priceMicros === null) return wrong('price must be a decimal number of at most six decimals')
  const currency = (row.currency ?? '').trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) return wrong('currency must be three letters')
  const effectiveFromMs = dateOf((row.effective_from ?? '').trim())
  if (effectiveFromMs === null) return wrong('effective_from must be a date such as 2026-07-01')
  const applies = appliesOf(row.inside_window)
  if (applies === null) return wrong('inside_window must be true, false or empty')
  const free = row.free_per_month === '' || row.free_per_month == null ? null : Number(row.free_per_month)
  if (free !== null && !(Number.isSafeInteger(free) && free >= 0)) return wrong('free_per_month must be a whole number')
  const source = (row.source ?? '').slice(0, 200)
  const one = (country: string): Price => ({
    country,
    category,
    kind,
    currency,
    priceMicros,
    applies,
    freePerMonth: free,
    effectiveFromMs,
    source,
  })
  return { found: [...new Set(countries)].map(one), reason: null }
}

/** The instant from which a price applies: midnight UTC of a day, or a time with its offset. */
const dateOf = (written: string): number | null => (isDay(written) ? Date.parse(`${written}T00:00:00Z`) : instantMs(written))

function appliesOf(flag: Given['inside_window']): PriceRow['applies'] | null {
  const word = String(flag ?? '')
    .trim()
    .toLowerCase()
  if (word === '') return 'always'
  if (word === 'true' || word === '1') return 'inside_window'
  return word === 'false' || word === '0' ? 'outside_window' : null
}

function putIn(tx: Tx, ctx: Ctx, price: Price): 'imported' | 'replaced' {
  const { priceMicros, freePerMonth, source, ...place } = price
  const known = tx
    .update(prices)
    .set({ priceMicros, freePerMonth, source })
    .where(
      and(
        eq(prices.kind, place.kind),
        eq(prices.country, place.country),
        eq(prices.category, place.category),
        eq(prices.currency, place.currency),
        eq(prices.applies, place.applies),
        eq(prices.effectiveFromMs, place.effectiveFromMs),
      ),
    )
    .returning({ id: prices.id })
    .get()
  if (known) return 'replaced'
  tx.insert(prices)
    .values({ ...price, id: ctx.ids.next(), createdAtMs: ctx.clock.nowMs() })
    .run()
  return 'imported'
}
