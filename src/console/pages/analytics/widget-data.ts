import type { Widget } from '../../api/shapes'
import { serverNow } from '../../live/server-clock'
import { useApi } from '../../live/query'
import { countDays, daysBefore, type Days } from '../../texts/days'
import { dayOf } from '../../texts/format'
import { knownIn, valuesOf } from './figures-of'

/** What a widget shows, as far as it is loaded. */
export interface WidgetData {
  now: object | undefined
  before: object | undefined
  error: unknown
}

/** Returns the days of a period so far. */
function daysOf(period: Widget['period'], today: string): Days {
  const [year = '', month = ''] = today.split('-')
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  const from = {
    today,
    week: new Date(Date.parse(today) - weekday * 86_400_000).toISOString().slice(0, 10),
    month: `${year}-${month}-01`,
    quarter: `${year}-${String(Number(month) - ((Number(month) - 1) % 3)).padStart(2, '0')}-01`,
    year: `${year}-01-01`,
  }[period]
  return { from, to: today }
}

/** Loads the report of a widget, and that of as many days before if it compares. */
export function useWidget({ report, period, filters, compare, problem }: Widget): WidgetData {
  const days = daysOf(period, dayOf(serverNow()))
  const isTold = problem === null
  const route = `GET /api/analytics/${report}` as 'GET /api/analytics/messages'
  const dated = ({ from, to }: Days) => ({
    query: {
      ...{ start_date: from, end_date: to },
      // a day for each point is too many for a year
      ...(report !== 'agents' && report !== 'campaigns' && countDays({ from, to }) > 100
        ? { granularity: 'week' as const }
        : {}),
      ...filters,
    },
  })
  const isDashboard = report === 'dashboard'
  const now = useApi(route, dated(days), isTold && !isDashboard)
  const before = useApi(route, dated(daysBefore(days)), isTold && !isDashboard && compare)
  const glance = useApi(
    'GET /api/analytics/dashboard',
    { query: { ...filters, period: period === 'quarter' ? 'month' : period } },
    isTold && isDashboard,
  )
  return isDashboard
    ? { now: glance.data, before: undefined, error: glance.error }
    : { now: now.data, before: before.data, error: now.error }
}

/** Returns what a metric names in a report: a number, amount or list; `undefined` if it has none. */
export function metricIn(report: object, metric: string): unknown {
  const holder = report as Record<string, unknown>
  if (!metric.includes('.') && !(metric in holder))
    return Object.values(holder)
      .filter((part): part is Record<string, unknown> => typeof part === 'object' && part !== null)
      .find((part) => !Array.isArray(part) && metric in part)?.[metric]
  return metric
    .split('.')
    .reduce<unknown>(
      (part, name) =>
        typeof part === 'object' && part !== null
          ? (part as Record<string, unknown>)[name]
          : undefined,
      report,
    )
}

/** Returns the number that a metric names; `null` if there is none, as for the mean of nothing. */
export function numberIn(report: object, metric: string): number | null {
  const told = metricIn(report, metric)
  if (told === undefined || told === null) return null
  const [, part, name = metric] = /^(\w+)\.(\w+)$/.exec(metric) ?? []
  const holder = part === undefined ? null : metricIn(report, part)
  return knownIn(typeof holder === 'object' && holder !== null ? holder : { [name]: told }, name)
}

/** Shares whose points are not in a timeline, but their parts are. */
const SHARES: Readonly<Record<string, readonly [part: string, whole: string]>> = {
  delivery_rate: ['delivered', 'sent'],
  read_rate: ['read', 'delivered'],
}

/** Returns the course of a number of a report; `null` if its timeline does not tell it. */
export function courseIn(report: object, metric: string): (number | null)[] | null {
  const { timeline } = report as { timeline?: readonly { date: string }[] }
  const [first] = timeline ?? []
  if (!timeline || !first) return null
  const [part = '', name = part] = metric.split('.')
  if (metric.includes('.') && part !== 'summary') return null
  const share = SHARES[name]
  const point = [name, name.replace(/^total_/, '')].find((one) => one in first)
  if (share === undefined && point === undefined) return null
  return valuesOf(
    { ...(share ? { share } : {}), ...(point === undefined ? {} : { point }) },
    { timeline },
  )
}
