import { and, asc, count, eq, gt, lte, sql, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'

import { isoTime } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { amountOf } from '../../../lib/money'
import { numberedPage, totalAtEnd, type Page } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { enterSheetQueue } from '../../../infra/sheets/concurrency'
import { recordAudit } from '../../organization/audit/record'
import { categoryKey, type PriceRow } from './lookup'
import type { NewPrices, PricesImported, PriceView } from './model'
import type { CardOptions } from './rate-card'
import { withTextValues, pricesOfCsv, readRows, type Price, type RowsRead } from './read-rows'
import { prices } from './table'
import { yieldToEventLoop } from '../../../infra/event-loop'

/** Prices written in one transaction. */
const WRITE_AT_ONCE = 100

/** Filters of the price list. */
export interface PricesQuery {
  page: number
  limit: number
  country?: string | undefined
  category?: string | undefined
  currency?: string | undefined
  /** Only prices that apply at this time. */
  atMs?: number | undefined
}

/** Returns a page of prices by country and category, newest first. */
export function listPrices(ctx: Ctx, query: PricesQuery): Page<PriceView> {
  const filter = and(...conditionsOf(query))
  const rows = ctx.db.orm
    .select()
    .from(prices)
    .where(filter)
    .orderBy(
      asc(prices.country),
      asc(prices.category),
      asc(prices.currency),
      sql`${prices.effectiveFromMs} desc`,
      asc(prices.applies),
    )
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(prices).where(filter).get()?.rows ??
    0
  return numberedPage(rows.slice(0, query.limit).map(priceView), total, query)
}

function conditionsOf({ country, category, currency, atMs }: PricesQuery): (SQL | undefined)[] {
  const newer = alias(prices, 'newer')
  const superseded = sql`exists (select 1 from ${prices} as newer where newer.kind = ${prices.kind} and newer.country = ${prices.country}
    and newer.category = ${prices.category} and newer.currency = ${prices.currency} and newer.applies = ${prices.applies}
    and ${gt(newer.effectiveFromMs, prices.effectiveFromMs)} and ${lte(newer.effectiveFromMs, atMs ?? 0)})`
  return [
    country === undefined ? undefined : eq(prices.country, country.toUpperCase()),
    category === undefined ? undefined : eq(prices.category, categoryKey(category)),
    currency === undefined ? undefined : eq(prices.currency, currency.toUpperCase()),
    atMs === undefined ? undefined : and(lte(prices.effectiveFromMs, atMs), sql`not ${superseded}`),
  ]
}

/** Prices that the answer of an import shows. */
const MAX_SAMPLE = 20

/** Counts what an import would do, without doing it. */
async function countRows(
  ctx: Ctx,
  found: readonly Price[],
): Promise<{ imported: number; replaced: number }> {
  let replaced = 0
  for (const [nth, price] of found.entries()) {
    const known = ctx.db.orm.select({ id: prices.id }).from(prices).where(sameAs(price)).get()
    if (known) replaced += 1
    if (nth % WRITE_AT_ONCE === 0) await yieldToEventLoop()
  }
  return { imported: found.length - replaced, replaced }
}

/** Matches the price that one with the same key and date replaces. */
const sameAs = (key: Price): SQL | undefined =>
  and(
    eq(prices.kind, key.kind),
    eq(prices.country, key.country),
    eq(prices.category, key.category),
    eq(prices.currency, key.currency),
    eq(prices.applies, key.applies),
    eq(prices.effectiveFromMs, key.effectiveFromMs),
  )

const priceView = (row: Omit<PriceRow, 'id' | 'createdAtMs'>): PriceView => ({
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
 * Imports prices from JSON, from a CSV file with the same column names, or from the platform's
 * rate card. A row replaces the price
 * with the same key and date; invalid rows are reported and skipped. Throws InvalidError
 * `empty_file` (with `dry_run` nothing is written), the errors of {@link rowsOfCsv} and {@link readRows}, and UnavailableError
 * `files_busy`.
 */
export async function importPrices(
  ctx: Ctx,
  { rows, file, dry_run: dryRun, ...options }: NewPrices & { file?: StagedFile | undefined },
): Promise<PricesImported> {
  const {
    found,
    invalid,
    count: read,
  } = file ? await readFile(ctx, file, options) : await readRows((rows ?? []).map(withTextValues))
  if (read === 0)
    throw new InvalidError('`rows` is empty. Send at least one row.', {
      code: 'empty_file',
      errors: [{ path: 'body.rows', message: 'is required unless a file is sent' }],
    })
  if (dryRun === true || dryRun === 'true')
    return {
      ...(await countRows(ctx, found)),
      ...{ invalid, sample: found.slice(0, MAX_SAMPLE).map(priceView) },
    }
  const counts = { imported: 0, replaced: 0 }
  // A row can name many countries, so prices are written in several transactions. An import that is
  // repeated after a crash replaces the prices it has already written.
  let at = 0
  while (found.length - at > WRITE_AT_ONCE) {
    for (const one of transact(ctx.db, (tx) =>
      found.slice(at, at + WRITE_AT_ONCE).map((price) => upsertIn(tx, ctx, price)),
    ))
      counts[one] += 1
    at += WRITE_AT_ONCE
    await yieldToEventLoop()
  }
  return transact(ctx.db, (tx) => {
    for (const price of found.slice(at)) counts[upsertIn(tx, ctx, price)] += 1
    recordAudit(tx, ctx, {
      action: 'imported',
      resourceType: 'prices',
      resourceId: null,
      resourceName: null,
      changes: Object.entries(counts).map(([field, value]) => ({
        field,
        old_value: null,
        new_value: value,
      })),
    })
    return { ...counts, invalid }
  })
}

/** Reads a file. Waits while too many other files are being read. */
async function readFile(ctx: Ctx, { path }: StagedFile, options: CardOptions): Promise<RowsRead> {
  const leave = await enterSheetQueue(ctx)
  try {
    return await readRows(pricesOfCsv(path, options))
  } finally {
    leave()
  }
}

function upsertIn(tx: Tx, ctx: Ctx, price: Price): 'imported' | 'replaced' {
  const { priceMicros, freePerMonth, source } = price
  const existing = tx
    .update(prices)
    .set({ priceMicros, freePerMonth, source })
    .where(sameAs(price))
    .returning({ id: prices.id })
    .get()
  if (existing) return 'replaced'
  tx.insert(prices)
    .values({ ...price, id: ctx.ids.next(), createdAtMs: ctx.clock.nowMs() })
    .run()
  return 'imported'
}
