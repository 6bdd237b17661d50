import { useSearch } from '@tanstack/react-router'

import type { Data, Query, Route } from '../../api/client'
import { saveFile } from '../../api/save-file'
import { useApi } from '../../live/query'
import { useShow } from '../../parts/list-page'
import { report } from '../../parts/toast'
import { dayAfter, daysText } from '../../texts/days'
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

/** What each report cannot be asked for. */
const LACKS: Readonly<Partial<Record<ReportRoute, readonly (keyof SpanQuery)[]>>> = {
  'GET /api/analytics/agents': ['granularity', 'account_id'],
  'GET /api/analytics/campaigns': ['granularity'],
}

/** Returns the part of a query that a report takes. */
const takenBy = (route: ReportRoute, query: SpanQuery): Partial<SpanQuery> =>
  Object.fromEntries(
    Object.entries(query).filter(([name]) => !LACKS[route]?.includes(name as keyof SpanQuery)),
  )

/** Returns the starts of the points of a report. */
const datesOf = (data: object | undefined): string[] =>
  data && 'timeline' in data
    ? (data.timeline as readonly { date: string }[]).map(({ date }) => date)
    : []

/** Loads a report on what the address says. `more` are its own filters. */
export function useReport<R extends ReportRoute>(
  route: R,
  more: Omit<Query<R>, keyof SpanQuery> = {} as Omit<Query<R>, keyof SpanQuery>,
): Report<R> {
  const { days, query, beforeQuery, granularity } = useSpan()
  const { compare } = useSearch({ from: '/analytics' })
  const show = useShow<{ days?: string | undefined }>()
  const wish = (dates: SpanQuery) => ({ query: { ...takenBy(route, dates), ...more } }) as never
  const now = useApi(route, wish(query))
  const before = useApi(route, wish(beforeQuery), compare !== 'no')
  return {
    now: now.data,
    before: before.data,
    error: now.error,
    onRetry: () => {
      now.refetch().catch(report)
    },
    onCsv: () => {
      const name = route.slice('GET /api/analytics/'.length)
      const file = { query: { ...takenBy(route, query), ...more, format: 'csv' } } as never
      saveFile(route, file, `${name}-${query.start_date}-${query.end_date}.csv`).catch(report)
    },
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
