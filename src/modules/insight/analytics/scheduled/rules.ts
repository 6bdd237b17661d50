import { DAY_MS } from '../../../../lib/clock'
import { localDateOf } from '../../../../lib/local-day'
import type { INTERVALS } from './table'

export type ReportInterval = (typeof INTERVALS)[number]

/** When a report is mailed. */
export interface ReportSchedule {
  every: ReportInterval
  /** Local time, HH:MM. */
  at: string
}

/** A time at which a report is due, and the local dates that it covers, both included. */
export interface Occasion {
  dueAtMs: number
  startDate: string
  endDate: string
}

/** A report that is later than this is left out. */
const LATE_MS = 3 * DAY_MS

/** Whether a report was due too long ago to be sent. */
export const isTooLate = ({ dueAtMs }: Pick<Occasion, 'dueAtMs'>, nowMs: number): boolean =>
  nowMs - dueAtMs > LATE_MS

/** Returns when a run was due: when a person asked for it, or at its time after its last day. */
export const dueTimeOf = (
  { requestedAtMs, endDate }: { requestedAtMs: number; endDate: string },
  schedule: Pick<ReportSchedule, 'at'>,
  timezone: string,
): number =>
  requestedAtMs > 0
    ? requestedAtMs
    : timeOn(Temporal.PlainDate.from(endDate).add({ days: 1 }), schedule, timezone)

/**
 * Returns the newest occasion that is not after a time. It covers the full week from Monday to
 * Sunday, or the full month, before its day. If the clocks skip its hour, it is due after that.
 */
export function lastOccasion(schedule: ReportSchedule, timezone: string, nowMs: number): Occasion {
  const today = Temporal.PlainDate.from(localDateOf(nowMs, timezone))
  const first = firstDayOf(schedule, today)
  const occasion = occasionOn(schedule, timezone, first)
  return occasion.dueAtMs <= nowMs
    ? occasion
    : occasionOn(schedule, timezone, firstDayOf(schedule, first.subtract({ days: 1 })))
}

/** Returns the first occasion after a time. */
export function nextOccasion(schedule: ReportSchedule, timezone: string, nowMs: number): Occasion {
  const today = Temporal.PlainDate.from(localDateOf(nowMs, timezone))
  const first = firstDayOf(schedule, today)
  const occasion = occasionOn(schedule, timezone, first)
  return occasion.dueAtMs > nowMs
    ? occasion
    : occasionOn(schedule, timezone, first.add(lengthOf(schedule)))
}

const lengthOf = ({ every }: ReportSchedule): { weeks: number } | { months: number } =>
  every === 'week' ? { weeks: 1 } : { months: 1 }

/** Returns the first day of the week or month of a date. */
const firstDayOf = ({ every }: ReportSchedule, date: Temporal.PlainDate): Temporal.PlainDate =>
  every === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 })

const timeOn = (
  day: Temporal.PlainDate,
  { at }: Pick<ReportSchedule, 'at'>,
  timezone: string,
): number =>
  day.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(at) })
    .epochMilliseconds

const occasionOn = (
  schedule: ReportSchedule,
  timezone: string,
  day: Temporal.PlainDate,
): Occasion => ({
  dueAtMs: timeOn(day, schedule, timezone),
  startDate: day.subtract(lengthOf(schedule)).toString(),
  endDate: day.subtract({ days: 1 }).toString(),
})
