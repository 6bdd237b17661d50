import { InvalidError } from '../../lib/errors'
import { instantMs, isCalendarDate } from '../../lib/instant'
import { microsOf } from '../../lib/money'
import { isCountry } from '../../lib/phone'
import { rowsOfCsv } from '../../infra/sheets/csv'
import { requireBounded } from '../../infra/sheets/row'
import { ANYWHERE, categoryKey, type PriceRow } from './lookup'
import type { NewPrices, PricesImported } from './model'
import { yieldToEventLoop } from '../../infra/event-loop'

type Given = NonNullable<NewPrices['rows']>[number]

/** A price as a row says it. */
export type Price = Omit<PriceRow, 'id' | 'createdAtMs'>

const MAX_ROWS = 10_000
const MAX_TOLD = 1_000
/** Prices of one import, each country of a market being one. */
const MAX_PRICES = 100_000
/** What a row may say of its countries, characters: all there are come to half of it. */
const MAX_MARKET_LENGTH = 2_000
/** Rows read before others get their turn. */
const READ_AT_ONCE = 100

/** What rows came to: the prices they stand for, and the first of those that stand for none. */
export interface RowsRead {
  count: number
  found: Price[]
  invalid: PricesImported['invalid']
}

/**
 * Reads rows one after the other; others get their turn in between. Throws InvalidError for too
 * many.
 */
export async function readRows(rows: Iterable<Given> | AsyncIterable<Given>): Promise<RowsRead> {
  const read: RowsRead = { count: 0, found: [], invalid: [] }
  for await (const row of rows) {
    read.count += 1
    if (read.count > MAX_ROWS) throw tooManyRows()
    const { found, reason } = readRow(row)
    if (reason !== null && read.invalid.length < MAX_TOLD)
      read.invalid.push({ row: read.count, reason })
    read.found.push(...found)
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

/**
 * The rows of a CSV file by the names in its header, without empty lines. Throws as {@link
 * rowsOfCsv} does, and InvalidError for too much.
 */
export async function* pricesOfCsv(path: string): AsyncGenerator<Given> {
  let names: string[] | null = null
  let lines = -1 // the header is none of them
  for await (const row of rowsOfCsv(path)) {
    lines += 1
    if (lines > MAX_ROWS) throw tooManyRows()
    requireBounded(row)
    const cells = row.cells.map((cell) => cell.trim())
    if (names === null) names = cells.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'))
    else if (cells.length > 1 || cells[0] !== '')
      yield Object.fromEntries(names.map((name, column) => [name, cells[column] ?? '']))
  }
}

/** A row as a file would have it: every value a text. */
export const inTexts = (row: Given): Given =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value == null ? '' : typeof value === 'object' ? '?' : String(value),
    ]),
  )

const NOTHING: Price[] = []

/** The prices a row stands for: one of each of its countries; or why it stands for none. */
function readRow(row: Given): { found: Price[]; reason: string | null } {
  const wrong = (reason: string) => ({ found: NOTHING, reason })
  const market = row.country ?? ''
  if (market.length > MAX_MARKET_LENGTH)
    return wrong(`country has more than ${MAX_MARKET_LENGTH.toLocaleString('en-US')} characters`)
  const countries = market.split('|').map((country) => country.trim().toUpperCase())
  const odd = countries.find((country) => country !== ANYWHERE && !isCountry(country))
  if (odd !== undefined)
    return wrong(odd === '' ? 'country is missing' : `country ${odd.slice(0, 40)} is not known`)
  const category = categoryKey(row.category ?? '')
  if (!/^[A-Z][A-Z_]{2,49}$/.test(category)) return wrong('category is missing or malformed')
  const kind = (row.kind ?? '').trim().toLowerCase() || 'template'
  if (kind !== 'template' && kind !== 'service') return wrong('kind must be template or service')
  const priceMicros = microsOf(String(row.price ?? ''))
  if (priceMicros === null) return wrong('price must be a decimal number with up to six decimals')
  const currency = (row.currency ?? '').trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(currency)) return wrong('currency must be a code of three letters')
  const effectiveFromMs = dateOf((row.effective_from ?? '').trim())
  if (effectiveFromMs === null) return wrong('effective_from must be a date such as 2026-07-01')
  const applies = appliesOf(row.inside_window)
  if (applies === null) return wrong('inside_window must be true, false or empty')
  const free =
    row.free_per_month === '' || row.free_per_month == null ? null : Number(row.free_per_month)
  if (free !== null && !(Number.isSafeInteger(free) && free >= 0))
    return wrong('free_per_month must be a whole number')
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
const dateOf = (written: string): number | null =>
  isCalendarDate(written) ? Date.parse(`${written}T00:00:00Z`) : instantMs(written)

function appliesOf(flag: Given['inside_window']): PriceRow['applies'] | null {
  const word = String(flag ?? '')
    .trim()
    .toLowerCase()
  if (word === '') return 'always'
  if (word === 'true' || word === '1') return 'inside_window'
  return word === 'false' || word === '0' ? 'outside_window' : null
}
