import { coinOf, formatMoney, formatNumber, formatPercent } from '../../texts/format'
import { formatDecimal, formatSeconds } from '../../texts/points'
import { t } from '../../texts/texts'

/** What values are: counts, seconds, percent (0 to 100), or money in a currency. */
export type Unit = 'number' | 'decimal' | 'seconds' | 'percent' | `money ${string}`

/** One of the things that a chart compares, such as a day. */
export interface Point {
  id: string
  /** The whole name, for the table and the words that read a value. */
  label: string
  /** As short as an axis needs it. */
  short: string
}

/** Values of one kind, one for each point; `null` where there is none. */
export interface Series {
  id: string
  label: string
  values: readonly (number | null)[]
  /** `before`: the same in the time before. `limit`: what should not be exceeded. */
  look?: 'before' | 'limit'
}

/** What a chart and its table show. */
export interface Figures {
  unit: Unit
  /** What the points are, such as "Day": the title of the first column. */
  pointName: string
  points: readonly Point[]
  series: readonly Series[]
}

/** Returns a value as people read it. */
export function formatValue(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  if (unit === 'seconds') return formatSeconds(value)
  if (unit === 'percent') return formatPercent(value / 100)
  if (unit === 'decimal') return formatDecimal(value)
  if (unit === 'number') return formatNumber(value)
  return formatMoney(value, currencyOf(unit))
}

const currencyOf = (unit: Unit): string => unit.slice('money '.length)

/** Steps of an axis of time, seconds; above the last one there are whole days. */
const TIME_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800,
]
const DAY_S = 86_400
/** Lines of an axis at most, without the one at zero. */
const MOST_LINES = 4

/** Returns a round step of at least this size, and never smaller than one of `whole`. */
function niceStep(least: number, whole: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const step = power * ([1, 2, 5].find((one) => one * power >= least) ?? 10)
  return Math.max(whole, step)
}

/** Returns the smallest step between values that are written differently. */
function wholeOf(largest: number, unit: Unit): number {
  if (unit === 'number') return 1
  const coin = unit.startsWith('money ') ? coinOf(currencyOf(unit)) : 0
  return largest < coin ? 0 : coin
}

/** Returns the values at which an axis has lines: from zero to the largest or above it. */
export function ticksOf(largest: number, unit: Unit): number[] {
  if (largest <= 0) return unit === 'percent' ? [0, 100] : [0, 1]
  const least = largest / MOST_LINES
  const step =
    unit === 'seconds'
      ? (TIME_STEPS.find((one) => one >= least) ?? niceStep(least / DAY_S, 1) * DAY_S)
      : niceStep(least, wholeOf(largest, unit))
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, nth) => nth * step)
}

const isNumber = (value: number | null | undefined): value is number => typeof value === 'number'

/** Returns the largest value, or the largest sum of a point for values that stand on each other. */
export function largestOf({ points, series }: Figures, isStacked: boolean): number {
  const tops = points.map((_, nth) => {
    const at = (some: readonly Series[]): number[] =>
      some.map(({ values }) => values[nth]).filter(isNumber)
    const stacked = isStacked ? at(series.filter(({ look }) => look === undefined)) : []
    return Math.max(
      stacked.reduce((sum, one) => sum + one, 0),
      ...at(series),
    )
  })
  return Math.max(0, ...tops)
}

/** Returns the index of the largest or smallest value, or -1. */
function extreme(
  values: Series['values'],
  isBetter: (one: number, than: number) => boolean,
): number {
  let found = -1
  for (const [nth, value] of values.entries()) {
    const best = values[found]
    if (isNumber(value) && (!isNumber(best) || isBetter(value, best))) found = nth
  }
  return found
}

/** Tells in a sentence for each series what a glance at the chart does. */
export function summaryOf({ unit, points, series }: Figures): string {
  if (points.length === 0 || series.length === 0) return t('parts.chart.empty')
  return series
    .map(({ label, values }) => {
      const most = extreme(values, (one, than) => one > than)
      const least = extreme(values, (one, than) => one < than)
      if (most < 0) return t('parts.chart.no-value', { name: label })
      return t('parts.chart.summary', {
        name: label,
        most: formatValue(values[most], unit),
        top: points[most]?.label ?? '',
        least: formatValue(values[least], unit),
        bottom: points[least]?.label ?? '',
      })
    })
    .join(' ')
}

/** Tells the values of a point. */
export const valuesText = ({ unit, points, series }: Figures, nth: number): string =>
  [
    points[nth]?.label ?? '',
    ...series.map(({ label, values }) => `${label}: ${formatValue(values[nth], unit)}`),
  ].join(', ')
