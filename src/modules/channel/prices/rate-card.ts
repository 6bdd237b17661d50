import { InvalidError } from '../../../lib/errors'
import { isCalendarDate } from '../../../lib/instant'
import { SERVICE_CHARGED } from '../../../platform/service-charges'
import { SERVICE } from './lookup'
import { Markets } from './markets'
import type { NewPrices } from './model'

type PriceInput = NonNullable<NewPrices['rows']>[number]

/** A line that cannot be read. */
export class UnreadableLine {
  constructor(readonly reason: string) {}
}

/** A line of a rate card: its prices, or why it cannot be read. */
export type PriceLine = PriceInput[] | UnreadableLine

/** The columns of the platform's rate card and their categories. */
const CATEGORIES: Readonly<Record<string, string>> = {
  marketing: 'MARKETING',
  marketing_lite: 'MARKETING_LITE',
  utility: 'UTILITY',
  authentication: 'AUTHENTICATION',
  authentication_international: 'AUTHENTICATION_INTERNATIONAL',
  service: SERVICE,
}

/** Values that a rate card does not state itself. */
export interface CardOptions {
  /** Date of the prices; by default the one in the lines above the table. */
  effective_from?: string | undefined
  /** Free service messages per number and month. */
  free_per_month?: string | undefined
}

/** Returns a column name in lower case, with underscores for spaces and dashes. */
export const columnName = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_\p{Dash_Punctuation}]+/gu, '_')

/** Reports whether a row is the header of the platform's rate card. */
export function isCardHeader(cells: readonly string[]): boolean {
  const names = cells.map(columnName)
  return names.includes('market') && names.some((name) => name in CATEGORIES)
}

/** Symbols that rate cards write for a currency. */
const SYMBOLS: Readonly<Record<string, string>> = {
  $us: 'USD',
  us$: 'USD',
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  r$: 'BRL',
  rp: 'IDR',
  a$: 'AUD',
}

const currencyOf = (written: string): string => SYMBOLS[written.toLowerCase()] ?? written

/** A price without currency symbols and separators; empty for words such as `n/a`. */
function amountIn(cell: string): string {
  if (!/\d/.test(cell)) return ''
  const amount = cell.replaceAll(/[^\d.,-]/g, '')
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(amount) ? amount.replaceAll(',', '') : amount
}

const MONTHS =
  'january february march april may june july august september october november december'.split(' ')

/** Finds the date in words such as `effective October 1, 2026`. */
function dateInTitle(words: string): string | null {
  const iso = /\b(\d{4}-\d{2}-\d{2})\b/.exec(words)?.[1]
  if (iso !== undefined) return isCalendarDate(iso) ? iso : null
  const american = /\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/i.exec(words)
  const british = /\b(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?,? (\d{4})\b/i.exec(words)
  const [name, day, year] = american
    ? [american[1], american[2], american[3]]
    : [british?.[2], british?.[1], british?.[3]]
  if (name === undefined || day === undefined || year === undefined) return null
  const month = MONTHS.findIndex((each) => each.startsWith(name.toLowerCase())) + 1
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  return month > 0 && isCalendarDate(date) ? date : null
}

/** A line of the card, by column name. */
type CardLine = Record<string, string>

/**
 * Reads the table of the platform's rate card: one line per market, one column per category.
 * Countries with a line of their own are left out of their regional group. A card since October 2026
 * without prices of service messages has the utility rate for them. Throws InvalidError if
 * the date is neither in the title nor in the options.
 */
export function readCard(
  card: { title: string; header: readonly string[]; lines: readonly (readonly string[])[] },
  options: CardOptions,
): PriceLine[] {
  const effectiveFrom = options.effective_from ?? dateInTitle(card.title)
  if (effectiveFrom === null)
    throw new InvalidError(
      'The file does not say from when its prices apply. Send `effective_from` with it.',
      { errors: [{ path: 'body.effective_from', message: 'is required for this file' }] },
    )
  const markets = new Markets(effectiveFrom)
  const names = card.header.map(columnName)
  const isServiceUtility = !names.includes('service') && effectiveFrom >= SERVICE_CHARGED.date
  const serviceColumn = isServiceUtility ? 'utility' : 'service'
  const lines = card.lines.map((cells): CardLine =>
    Object.fromEntries(names.map((name, column) => [name, cells[column]?.trim() ?? ''])),
  )
  const ownPrices = new Set(
    lines.flatMap(({ market = '' }) => {
      const found = markets.find(market)
      return found && !found.isGroup ? found.codes : []
    }),
  )
  return lines.filter(hasPrices).map((line): PriceLine => {
    const { market = '', currency = '' } = line
    const found = markets.find(market)
    if (!found) return new UnreadableLine(`market ${market.slice(0, 40) || '(empty)'} is not known`)
    const codes = found.isGroup ? found.codes.filter((code) => !ownPrices.has(code)) : found.codes
    if (codes.length === 0) return []
    return Object.entries(CATEGORIES).flatMap(([column, category]) => {
      const price = amountIn(line[category === SERVICE ? serviceColumn : column] ?? '')
      return price === ''
        ? []
        : [
            {
              country: codes.join('|'),
              category,
              price,
              currency: currencyOf(currency),
              effective_from: effectiveFrom,
              free_per_month: category === SERVICE ? (options.free_per_month ?? '') : '',
              source: `Rate card: ${market}`,
            },
          ]
    })
  })
}

/** Whether a line has any cell beside the market. Notes below the table have none. */
const hasPrices = ({ market: _market, ...cells }: CardLine): boolean =>
  Object.values(cells).some((cell) => cell !== '')
