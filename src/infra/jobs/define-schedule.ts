import { Cron } from 'croner'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import type { Job } from './job'

type ScheduledJob = Job<Record<string, never>>

/** The times at which a schedule is due. */
interface Timing {
  /** The latest time it was due, now included, epoch milliseconds. */
  lastMs: (nowMs: number) => number
  /** The first time after now, epoch milliseconds. */
  nextMs: (nowMs: number) => number
  /** As people read it: `every 15 minutes`, or cron expression and time zone. */
  words: string
  /** Whether it is done at the first start too, instead of waiting for its hour. */
  runsAtFirstStart: boolean
}

/** Recurring work of the whole installation. */
export interface Schedule {
  /** The name of its job. */
  name: string
  timing: Timing
  job: ScheduledJob
}

/** Schedules a job once in every `everyMs` milliseconds. */
export const defineSchedule = (everyMs: number, job: ScheduledJob): Schedule => ({
  name: job.name,
  job,
  timing: {
    lastMs: (nowMs) => Math.floor(nowMs / everyMs) * everyMs,
    nextMs: (nowMs) => (Math.floor(nowMs / everyMs) + 1) * everyMs,
    words: `every ${spanWords(everyMs)}`,
    runsAtFirstStart: true,
  },
})

/**
 * Schedules a job at the times of a cron expression (five fields) in a time zone. A time that a clock
 * change skips is made up for right after it; a time that occurs twice counts once. Times missed
 * while the server was stopped are made up for once.
 */
export function defineCalendarSchedule(
  at: { cron: string; timeZone: string },
  job: ScheduledJob,
): Schedule {
  const calendar = new Cron(at.cron, { timezone: at.timeZone, paused: true, mode: '5-part' })
  return {
    name: job.name,
    job,
    timing: {
      // A run at exactly `nowMs` counts as past.
      lastMs: (nowMs) => calendar.previousRuns(1, new Date(nowMs + 1))[0]?.getTime() ?? 0,
      nextMs: (nowMs) => calendar.nextRun(new Date(nowMs))?.getTime() ?? Infinity,
      words: `${at.cron} (${at.timeZone})`,
      runsAtFirstStart: false,
    },
  }
}

const UNITS: [ms: number, word: string][] = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
  [SECOND_MS, 'second'],
]

function spanWords(ms: number): string {
  const [unitMs, word] = UNITS.find(([size]) => ms % size === 0) ?? [1, 'millisecond']
  return ms === unitMs ? word : `${ms / unitMs} ${word}s`
}
