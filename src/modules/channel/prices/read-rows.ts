import { InvalidError } from '../../../lib/errors'
import { instantMs, isCalendarDate } from '../../../lib/instant'
import { microsOf } from '../../../lib/money'
import { isCountry } from '../../../lib/phone'
import { rowsOfCsv } from '../../../infra/sheets/csv'
import { requireBounded } from '../../../infra/sheets/row'
import { ALL_COUNTRIES, categoryKey, kindOf, type PriceRow } from './lookup'
import {
  columnName,
  isCardHeader,
  readCard,
  type CardOptions,
  type PriceLine,
  UnreadableLine,
} from './rate-card'
import { CATEGORY, type NewPrices, type PricesImported } from './model'
import { yieldToEventLoop } from '../../../infra/event-loop'

type PriceInput = NonNullable<NewPrices['rows']>[number]

/** A validated price. */
export type Price = Omit<PriceRow, 'id' | 'createdAtMs'>

const MAX_ROWS = 10_000
const MAX_REPORTED = 1_000
/** Maximum number of prices in one import. Each country of a row is one price. */
const MAX_PRICES = 100_000
/** Maximum length of a country list in characters, twice the length of all countries. */
const MAX_MARKET_LENGTH = 2_000
/** Rows read before yielding to the event loop. */
const READ_AT_ONCE = 100

/** The result of reading rows: the number of rows, the prices, and the first invalid rows. */
export interface RowsRead {
  count: number
  found: Price[]
  invalid: PricesImported['invalid']
}

/**
 * Validates rows one after the other and yields to the event loop in between. Throws InvalidError
 * for too many rows.
 */
export async function readRows(
  rows: Iterable<PriceInput | PriceLine> | AsyncIterable<PriceInput | PriceLine>,
): Promise<RowsRead> {
  const read: RowsRead = { count: 0, found: [], invalid: [] }
  for await (const row of rows) {
    read.count += 1
    if (read.count > MAX_ROWS) throw tooManyRows()
    for (const { found, reason } of readLine(row)) {
      if (reason !== null && read.invalid.length < MAX_REPORTED)
        read.invalid.push({ row: read.count, reason })
      read.found.push(...found)
    }
    if (read.found.length > MAX_PRICES)
      throw new InvalidError(
        `Up to ${MAX_PRICES} prices can be imported at once. Each country of a row counts as ` +
          'one.',
        {
          errors: [{ path: 'body.rows', message: `must expand to at most ${MAX_PRICES} prices` }],
        },
      )
    if (read.count % READ_AT_ONCE === 0) await yieldToEventLoop()
  }
  return read
}

const tooManyRows = (): InvalidError =>
  new InvalidError(`Up to ${MAX_ROWS} rows can be imported at once.`, {
    errors: [{ path: 'body.file', message: `must have at most ${MAX_ROWS} rows` }],
  })

/** Rows above the table of a rate card that are searched for its header. */
const MAX_TITLE_ROWS = 20

/**
 * Returns the rows of a CSV file without empty lines: those of the platform's rate card, or rows
 * with the names of their header. Throws the errors of {@link rowsOfCsv}, and InvalidError for too
 * many rows or a rate card without a date.
 */
export async function* pricesOfCsv(
  path: string,
  options: CardOptions = {},
): AsyncGenerator<PriceInput | PriceLine> {
  let header: string[] | null = null
  const above: string[][] = []
  const card: string[][] = []
  let lines = -1 // the header is none of them
  for await (const row of rowsOfCsv(path)) {
    lines += 1
    if (lines > MAX_ROWS) throw tooManyRows()
    requireBounded(row)
    const cells = row.cells.map((cell) => cell.trim())
    if (cells.every((cell) => cell === '')) continue
    if (header === null) {
      if (isHeader(cells)) header = cells
      else if (above.push(cells) > MAX_TITLE_ROWS) header = above[0] ?? []
    } else if (isCardHeader(header)) card.push(cells)
    else yield byName(header, cells)
  }
  if (header !== null && isCardHeader(header)) {
    const title = above.flat().join(' ')
    yield* readCard({ title, header, lines: card }, options)
  }
  // Nothing names the columns: the first row counts as the header.
  if (header === null) for (const cells of above.slice(1)) yield byName(above[0] ?? [], cells)
}

/** Whether a row names the columns of a price file. */
const isHeader = (cells: readonly string[]): boolean =>
  isCardHeader(cells) || cells.some((cell) => ['country', 'category'].includes(columnName(cell)))

const byName = (header: readonly string[], cells: readonly string[]): PriceInput =>
  Object.fromEntries(header.map((name, column) => [columnName(name), cells[column] ?? '']))

/** Converts the values of a JSON row to texts, as in a CSV file. */
export const withTextValues = (row: PriceInput): PriceInput =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value == null ? '' : typeof value === 'object' ? '?' : String(value),
    ]),
  )

const NOTHING: Price[] = []

/** Returns the prices of a line of a file or of a row, or why they are invalid. */
function readLine(line: PriceInput | PriceLine): ReturnType<typeof readRow>[] {
  if (Array.isArray(line)) return line.map(readRow)
  return line instanceof UnreadableLine
    ? [{ found: NOTHING, reason: line.reason }]
    : [readRow(line)]
}

/** Returns the prices of a row, one for each country, or why the row is invalid. */
function readRow(row: PriceInput): { found: Price[]; reason: string | null } {
  const invalid = (reason: string) => ({ found: NOTHING, reason })
  const market = row.country ?? ''
  if (market.length > MAX_MARKET_LENGTH)
    return invalid(`country has more than ${MAX_MARKET_LENGTH.toLocaleString('en-US')} characters`)
  const countries = market.split('|').map((country) => country.trim().toUpperCase())
  const unknown = countries.find((country) => country !== ALL_COUNTRIES && !isCountry(country))
  if (unknown !== undefined)
    return invalid(
      unknown === '' ? 'country is missing' : `country ${unknown.slice(0, 40)} is not known`,
    )
  const category = categoryKey(row.category ?? '')
  if (!CATEGORY.test(category)) return invalid('category is missing or malformed')
  const kind = (row.kind ?? '').trim().toLowerCase() || kindOf(category)
  if (kind !== 'template' && kind !== 'service') return invalid('kind must be template or service')
  if (kind !== kindOf(category)) return invalid(`kind of ${category} must be ${kindOf(category)}`)
  const priceMicros = microsOf(String(row.price ?? ''))
  if (priceMicros === null) return invalid('price must be a decimal number with up to six decimals')
  const currency = (row.currency ?? '').trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) return invalid('currency must be a code of three letters')
  const effectiveFromMs = dateOf((row.effective_from ?? '').trim())
  if (effectiveFromMs === null) return invalid('effective_from must be a date such as 2026-07-01')
  const applies = appliesOf(row.inside_window)
  if (applies === null) return invalid('inside_window must be true, false or empty')
  const free =
    row.free_per_month === '' || row.free_per_month == null ? null : Number(row.free_per_month)
  if (free !== null && !(Number.isSafeInteger(free) && free >= 0))
    return invalid('free_per_month must be a whole number')
  const source = (row.source ?? '').slice(0, 200)
  const priceFor = (country: string): Price => ({
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
  return { found: [...new Set(countries)].map(priceFor), reason: null }
}

/**
 * Returns the start of a price, epoch milliseconds: midnight UTC of a date, or a time with offset.
 */
const dateOf = (written: string): number | null =>
  isCalendarDate(written) ? Date.parse(`${written}T00:00:00Z`) : instantMs(written)

function appliesOf(flag: PriceInput['inside_window']): PriceRow['applies'] | null {
  const word = String(flag ?? '')
    .trim()
    .toLowerCase()
  if (word === '') return 'always'
  if (word === 'true' || word === '1') return 'inside_window'
  return word === 'false' || word === '0' ? 'outside_window' : null
}
