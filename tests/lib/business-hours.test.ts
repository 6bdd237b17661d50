import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'

import {
  afterOpenTime,
  compileHours,
  isOpen,
  nextChange,
  openState,
  openTimeBetween,
  WEEKDAYS,
  type Holiday,
  type HoursEntry,
  type Interval,
} from '../../src/lib/business-hours'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock'

const entry = (day: HoursEntry['day'], start_time: string, end_time: string): HoursEntry => ({
  day,
  enabled: true,
  start_time,
  end_time,
})
const daily = (start: string, end: string): HoursEntry[] =>
  WEEKDAYS.map((day) => entry(day, start, end))
const at = (instant: string): number => Date.parse(instant)
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Says of each instant whether it is open. */
const openAt = (hours: HoursEntry[], zone: string, instants: string[], holidays: Holiday[] = []) =>
  instants.filter((instant) => isOpen(compileHours(hours, holidays), zone, at(instant)))

describe('business hours', () => {
  test('include their first minute and exclude their last', () => {
    const hours = [entry('saturday', '09:00', '17:30')]
    expect(
      openAt(hours, 'UTC', [
        '2026-11-21T08:59:59.999Z',
        '2026-11-21T09:00:00Z',
        '2026-11-21T17:29:59.999Z',
        '2026-11-21T17:30:00Z',
        '2026-11-22T12:00:00Z',
      ]),
    ).toEqual(['2026-11-21T09:00:00Z', '2026-11-21T17:29:59.999Z'])
  })

  test('are wall-clock times of the zone, half-hour zones included', () => {
    const hours = daily('09:00', '10:00')
    expect(openAt(hours, 'Asia/Kolkata', ['2026-11-21T03:29:00Z', '2026-11-21T03:30:00Z'])).toEqual(
      ['2026-11-21T03:30:00Z'],
    )
    expect(
      openAt(hours, 'Australia/Lord_Howe', ['2026-11-21T21:59:00Z', '2026-11-21T22:00:00Z']),
    ).toEqual(['2026-11-21T22:00:00Z'])
  })

  test('that end before they start last into the next day', () => {
    const hours = [entry('saturday', '22:00', '02:00')]
    expect(
      openAt(hours, 'UTC', [
        '2026-11-21T01:00:00Z',
        '2026-11-21T23:00:00Z',
        '2026-11-22T01:59:00Z',
        '2026-11-22T02:00:00Z',
        '2026-11-22T23:00:00Z',
      ]),
    ).toEqual(['2026-11-21T23:00:00Z', '2026-11-22T01:59:00Z'])
  })

  test('cover a whole day as 00:00 to 24:00 and as 00:00 to 00:00', () => {
    for (const end of ['24:00', '00:00']) {
      const hours = compileHours([entry('saturday', '00:00', end)])
      expect([
        iso(nextChange(hours, 'UTC', at('2026-11-20T12:00:00Z'))),
        iso(nextChange(hours, 'UTC', at('2026-11-21T12:00:00Z'))),
      ]).toEqual(['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'])
    }
  })

  test('that begin in the skipped hour of spring begin at the first minute that exists', () => {
    const hours = compileHours(daily('02:30', '05:00'))
    // Clocks in Berlin jump from 02:00 to 03:00 at 01:00 UTC.
    expect(iso(nextChange(hours, 'Europe/Berlin', at('2027-03-28T00:00:00Z')))).toBe(
      '2027-03-28T01:00:00.000Z',
    )
    expect(iso(nextChange(hours, 'Europe/Berlin', at('2027-03-28T01:00:00Z')))).toBe(
      '2027-03-28T03:00:00.000Z',
    )
  })

  test('count both copies of the repeated hour of autumn', () => {
    const berlin = (start: string, end: string): string[] =>
      openAt(daily(start, end), 'Europe/Berlin', [
        '2026-10-25T00:15:00Z', // 02:15 the first time
        '2026-10-25T00:45:00Z',
        '2026-10-25T01:15:00Z', // 02:15 again
        '2026-10-25T01:45:00Z',
      ])
    expect(berlin('02:00', '03:00')).toHaveLength(4)
    expect(berlin('02:00', '02:30')).toEqual(['2026-10-25T00:15:00Z', '2026-10-25T01:15:00Z'])
  })

  test('of a holiday replace those of its date, and the night before still ends', () => {
    const hours = daily('22:00', '02:00')
    const closed = [{ date: '2026-12-25', name: 'Christmas', intervals: [] }]
    const short = [
      {
        date: '2026-12-25',
        name: 'Christmas',
        intervals: [{ start_time: '10:00', end_time: '12:00' }],
      },
    ]
    const instants = [
      '2026-12-25T01:00:00Z',
      '2026-12-25T11:00:00Z',
      '2026-12-25T23:00:00Z',
      '2026-12-26T01:00:00Z',
      '2026-12-26T23:00:00Z',
    ]
    expect(openAt(hours, 'UTC', instants, closed)).toEqual([
      '2026-12-25T01:00:00Z',
      '2026-12-26T23:00:00Z',
    ])
    expect(openAt(hours, 'UTC', instants, short)).toEqual([
      '2026-12-25T01:00:00Z',
      '2026-12-25T11:00:00Z',
      '2026-12-26T23:00:00Z',
    ])
  })

  test('ignore disabled entries', () => {
    const hours = [{ ...entry('saturday', '09:00', '17:00'), enabled: false }]
    expect(openAt(hours, 'UTC', ['2026-11-21T12:00:00Z'])).toEqual([])
  })

  test('do not change again if there are none or they cover everything', () => {
    const open = { isOpen: true, closesAtMs: null, opensAtMs: null }
    const now = at('2026-11-21T12:00:00Z')
    expect(openState(compileHours(daily('00:00', '24:00')), 'Europe/Berlin', now)).toEqual(open)
    expect(openState(compileHours([]), 'Europe/Berlin', now)).toEqual({ ...open, isOpen: false })
  })

  test('find the opening behind a year of holidays', () => {
    const first = at('2026-11-22T00:00:00Z')
    const holidays = Array.from({ length: 366 }, (_, day) => ({
      date: new Date(first + day * DAY_MS).toISOString().slice(0, 10),
      intervals: [],
    }))
    const hours = compileHours(daily('09:00', '17:00'), holidays)
    expect(iso(nextChange(hours, 'UTC', at('2026-11-21T18:00:00Z')))).toBe(
      '2027-11-23T09:00:00.000Z',
    )
  })

  test('stop the clock of a deadline while it is closed', () => {
    const hours = compileHours(
      ['monday', 'friday'].map((day) => entry(day as 'monday', '09:00', '17:00')),
    )
    const friday = at('2026-11-20T16:30:00Z')
    const due = afterOpenTime(hours, 'UTC', { fromMs: friday, durationMs: HOUR_MS })
    expect(iso(due)).toBe('2026-11-23T09:30:00.000Z')
    expect(openTimeBetween(hours, 'UTC', { fromMs: friday, beforeMs: due ?? 0 })).toBe(HOUR_MS)
    expect(
      afterOpenTime(compileHours([]), 'UTC', { fromMs: friday, durationMs: HOUR_MS }),
    ).toBeNull()
  })
})

/** Hours as the contract describes them, minute by minute with Temporal. */
function isOpenByTemporal(
  { hours, holidays }: { hours: HoursEntry[]; holidays: Holiday[] },
  zone: string,
  atMs: number,
): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone)
  const minutes = (time: string): number => {
    const [hour = 0, minute = 0] = time.split(':').map(Number)
    return hour * 60 + minute
  }
  const now = local.hour * 60 + local.minute
  const intervalsOf = (date: Temporal.PlainDate): Interval[] =>
    holidays.find((one) => one.date === date.toString())?.intervals ??
    hours.filter((one) => one.enabled && one.day === WEEKDAYS[date.dayOfWeek - 1])
  const today = local.toPlainDate()
  const isNight = (one: Interval): boolean => minutes(one.end_time) <= minutes(one.start_time)
  return (
    intervalsOf(today).some(
      (one) => now >= minutes(one.start_time) && (isNight(one) || now < minutes(one.end_time)),
    ) ||
    intervalsOf(today.subtract({ days: 1 })).some(
      (one) => isNight(one) && now < minutes(one.end_time),
    )
  )
}

/** Zones with their clock changes of 2026 and 2027: half hours, at midnight, both hemispheres. */
const CHANGES = [
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['America/St_Johns', '2027-03-14T05:30:00Z'],
  ['America/Santiago', '2026-09-06T04:00:00Z'],
  ['America/Havana', '2026-11-01T05:00:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00:00Z'],
  ['Africa/Casablanca', '2027-02-07T02:00:00Z'],
  ['Asia/Beirut', '2027-03-27T22:00:00Z'],
  ['Asia/Kolkata', '2026-11-21T00:00:00Z'],
  ['Asia/Kathmandu', '2026-11-21T00:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Pacific/Chatham', '2027-04-03T14:00:00Z'],
  ['UTC', '2026-12-31T00:00:00Z'],
] as const

const minute = fc.integer({ min: 0, max: 1_439 })
const clock = (of: number): string =>
  `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`
const interval = fc
  .tuple(minute, fc.oneof(minute, fc.constant(1_440)))
  .map(([start, end]) => ({ start_time: clock(start), end_time: clock(end) }))
const entries = fc.array(
  fc
    .tuple(fc.constantFrom(...WEEKDAYS), interval, fc.boolean())
    .map(([day, span, enabled]) => ({ day, enabled, ...span })),
  { maxLength: 12 },
)
const scene = fc
  .tuple(
    fc.constantFrom(...CHANGES),
    entries,
    fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.array(interval, { maxLength: 2 })), {
      maxLength: 2,
    }),
    fc.integer({ min: -2 * 1_440, max: 2 * 1_440 }),
  )
  .map(([[zone, change], hours, days, offset]) => {
    const middle = at(change)
    const holidays = [...new Map(days)].map(([day, intervals]) => ({
      date: new Date(middle + day * DAY_MS).toISOString().slice(0, 10),
      name: '',
      intervals,
    }))
    return { zone, schedule: { hours, holidays }, atMs: middle + offset * MINUTE_MS }
  })

/** Random schedules that are compared; `HOURS_RUNS=1000` for more. */
const RUNS = Number(process.env['HOURS_RUNS'] ?? 100)

describe('compared with an independent implementation around clock changes', () => {
  test('it is open at the same minutes, and the next change is the first difference', () => {
    fc.assert(
      fc.property(scene, ({ zone, schedule, atMs }) => {
        const hours = compileHours(schedule.hours, schedule.holidays)
        const isOpenHere = isOpenByTemporal(schedule, zone, atMs)
        expect(isOpen(hours, zone, atMs)).toBe(isOpenHere)
        const change = nextChange(hours, zone, atMs)
        const until = Math.min(change ?? Infinity, atMs + 3 * DAY_MS)
        for (let now = atMs; now < until; now += MINUTE_MS)
          if (isOpenByTemporal(schedule, zone, now) !== isOpenHere)
            throw new Error(`changes at ${iso(now)}, not at ${iso(change)}`)
        if (change !== null && change === until)
          expect(isOpenByTemporal(schedule, zone, change)).toBe(!isOpenHere)
      }),
      { numRuns: RUNS },
    )
  })

  test('open time adds up to the minutes that are open', () => {
    fc.assert(
      fc.property(scene, ({ zone, schedule, atMs }) => {
        const hours = compileHours(schedule.hours, schedule.holidays)
        const beforeMs = atMs + 2 * DAY_MS
        let minutes = 0
        for (let now = atMs; now < beforeMs; now += MINUTE_MS)
          if (isOpenByTemporal(schedule, zone, now)) minutes += 1
        const sum = openTimeBetween(hours, zone, { fromMs: atMs, beforeMs })
        expect(sum).toBe(minutes * MINUTE_MS)
        const due = afterOpenTime(hours, zone, { fromMs: atMs, durationMs: Math.max(1, sum) })
        if (sum > 0)
          expect(openTimeBetween(hours, zone, { fromMs: atMs, beforeMs: due ?? 0 })).toBe(sum)
      }),
      { numRuns: Math.ceil(RUNS / 6) },
    )
  })
})

test('a check takes microseconds of processor time', () => {
  const hours = compileHours(daily('09:00', '17:00'), [{ date: '2026-12-25', intervals: [] }])
  const from = at('2026-11-21T00:00:00Z')
  const run = (): void => {
    for (let step = 0; step < 10_000; step += 1) {
      isOpen(hours, 'Europe/Berlin', from + step * 1_000_000)
      nextChange(hours, 'Europe/Berlin', from + step * 1_000_000)
    }
  }
  run()
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 10_000).toBeLessThan(50)
})
