import type { ReportRange } from '../report/range'

/** The first days that the figures of the dashboard refer to, local dates. */
export interface DashboardDays {
  start: string
  today: string
  monday: string
  month: string
}

/** What the figures of the dashboard are of. */
export interface DashboardScope {
  accountId: string | undefined
  range: ReportRange
  today: { fromMs: number; beforeMs: number }
  timezone: string
  days: DashboardDays
}
