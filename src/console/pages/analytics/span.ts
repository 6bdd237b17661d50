import { useSearch } from '@tanstack/react-router'

import { serverNow } from '../../live/server-clock'
import { countDays, daysBefore, readDays, type Days } from '../../texts/days'
import { dayOf } from '../../texts/format'

/** The days of a report if its address names none. */
export const DEFAULT_DAYS = '30d'

/** Most days that are shown by the hour, the day and the week. */
const MOST = { hour: 2, day: 92, week: 400 } as const

type Granularity = 'hour' | 'day' | 'week' | 'month'

/** What a report covers: its query, and that of as many days before. */
export interface Span {
  days: Days
  before: Days
  granularity: Granularity
  query: SpanQuery
  beforeQuery: SpanQuery
}

/** The dates and the points of a report. */
export interface SpanQuery {
  start_date: string
  end_date: string
  granularity: Granularity
}

/** Returns what the address says that reports cover. */
export function useSpan(): Span {
  const { days: written = DEFAULT_DAYS } = useSearch({ from: '/analytics' })
  const today = dayOf(serverNow())
  const days = readDays(written, today) ??
    readDays(DEFAULT_DAYS, today) ?? { from: today, to: today }
  const before = daysBefore(days)
  const count = countDays(days)
  const granularity =
    count <= MOST.hour ? 'hour' : count <= MOST.day ? 'day' : count <= MOST.week ? 'week' : 'month'
  const queryOf = ({ from, to }: Days): SpanQuery => ({
    ...{ start_date: from, end_date: to, granularity },
  })
  return { days, before, granularity, query: queryOf(days), beforeQuery: queryOf(before) }
}
