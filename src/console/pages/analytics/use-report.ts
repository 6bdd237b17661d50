import { useSearch } from '@tanstack/react-router'

import type { Data, Query, Route } from '../../api/client'
import { saveFile } from '../../api/save-file'
import { useApi } from '../../live/query'
import { useShow } from '../../parts/list-page'
import { report } from '../../parts/toast'
import { dayAfter, daysText } from '../../texts/days'
import { useFilters, type Tab } from './filters'
import { useSpan, type SpanQuery } from './span'

/** The reports on a range of days. */
export type ReportRoute = Extract<
  Route,
  | 'GET /api/analytics/messages'
  | 'GET /api/analytics/agents'
  | 'GET /api/analytics/chatbot'
  | 'GET /api/analytics/campaigns'
  | 'GET /api/analytics/costs'
  | 'GET /api/analytics/quality'
>

/** A report, and the same on as many days before. */
export interface Report<R extends ReportRoute> {
  now: Data<R> | undefined
  before: Data<R> | undefined
  error: unknown
  onRetry: () => void
  /** Saves its table as a file. */
  onCsv: () => void
  /** Shows the day, week or month of a point more closely. */
  onPoint: ((date: string) => void) | undefined
}

/** The tab of each report. */
const TAB_OF: Readonly<Record<ReportRoute, Tab>> = {
  'GET /api/analytics/messages': 'messages',
  'GET /api/analytics/agents': 'people',
  'GET /api/analytics/chatbot': 'bot',
  'GET /api/analytics/campaigns': 'campaigns',
  'GET /api/analytics/costs': 'costs',
  'GET /api/analytics/quality': 'quality',
}

/** Reports without a timeline. */
const WITHOUT_POINTS: ReadonlySet<ReportRoute> = new Set([
  'GET /api/analytics/agents',
  'GET /api/analytics/campaigns',
])

/** Returns the dates of a report, with the length of its points if it has any. */
const datesFor = (
  route: ReportRoute,
  { start_date, end_date, granularity }: SpanQuery,
): Partial<SpanQuery> => ({
  ...{ start_date, end_date },
  ...(WITHOUT_POINTS.has(route) ? {} : { granularity }),
})

/** Returns the starts of the points of a report. */
const datesOf = (data: object | undefined): string[] =>
  data && 'timeline' in data
    ? (data.timeline as readonly { date: string }[]).map(({ date }) => date)
    : []

/** Returns how the table of a report is saved as a file. `more` is what else it is asked. */
export function useReportFile<R extends ReportRoute>(
  route: R,
  more: Omit<Query<R>, keyof SpanQuery> = {} as Omit<Query<R>, keyof SpanQuery>,
): () => void {
  const { query } = useSpan()
  const filters = useFilters(TAB_OF[route])
  return () => {
    const name = route.slice('GET /api/analytics/'.length)
    const file = { ...datesFor(route, query), ...filters, ...more, format: 'csv' }
    const wish = { query: file } as never
    saveFile(route, wish, `${name}-${query.start_date}-${query.end_date}.csv`).catch(report)
  }
}

/** Loads a report on what the address says. `more` is what else it is asked. */
export function useReport<R extends ReportRoute>(
  route: R,
  more: Omit<Query<R>, keyof SpanQuery> = {} as Omit<Query<R>, keyof SpanQuery>,
): Report<R> {
  const { days, query, beforeQuery, granularity } = useSpan()
  const { compare } = useSearch({ from: '/analytics' })
  const filters = useFilters(TAB_OF[route])
  const show = useShow<{ days?: string | undefined }>()
  const wish = (dates: SpanQuery) =>
    ({ query: { ...datesFor(route, dates), ...filters, ...more } }) as never
  const now = useApi(route, wish(query))
  const before = useApi(route, wish(beforeQuery), compare !== 'no')
  return {
    now: now.data,
    before: before.data,
    error: now.error,
    onRetry: () => {
      now.refetch().catch(report)
    },
    onCsv: useReportFile(route, more),
    onPoint:
      granularity === 'hour'
        ? undefined
        : (date) => {
            const dates = datesOf(now.data)
            const next = dates[dates.indexOf(date) + 1]
            const to = granularity === 'day' ? date : next ? dayAfter(next, -1) : days.to
            show({ days: daysText({ from: date, to }) })
          },
  }
}
