import { Type, type Static } from '@sinclair/typebox'

import { isClockTime, WEEKDAYS, type Hours, type Weekday } from '../../../../lib/business-hours'
import { checkedText, oneOf } from '../../../../lib/fields'
import { isCalendarDate } from '../../../../lib/instant'

const start = checkedText(
  'start-time',
  (text) => isClockTime(text) && text !== '24:00',
  'must be a time from 00:00 to 23:59',
  { maxLength: 5, description: 'First minute, `HH:MM` in the time zone of the organization.' },
)
const end = checkedText('end-time', isClockTime, 'must be a time from 00:00 to 24:00', {
  maxLength: 5,
  description:
    'First minute after the interval, `HH:MM`. An end that is not after the start is on the next ' +
    'day.',
})
const interval = { start_time: start, end_time: end }
const enabled = Type.Boolean({ description: '`false` ignores the entry. Defaults to `true`.' })

/** An entry of weekly hours in requests. */
const NewHoursEntry = Type.Object({
  day: Type.Union([oneOf(WEEKDAYS), Type.Integer({ minimum: 0, maximum: 6 })], {
    description: 'Day of the week, as a word or a number. 0 is Sunday.',
  }),
  enabled: Type.Optional(enabled),
  ...interval,
})

/** Weekly hours in requests. */
export const NewHours = Type.Array(NewHoursEntry, {
  maxItems: 28,
  description: 'Weekly hours. A day without an entry is closed; a day can have several.',
})

/** Weekly hours in responses. */
export const HoursView = Type.Array(
  Type.Object({
    day: oneOf(WEEKDAYS),
    enabled: Type.Boolean(),
    start_time: Type.String(),
    end_time: Type.String(),
  }),
  { description: 'Weekly hours. A day without an entry is closed.' },
)

/** Returns weekly hours as they are stored: days as words, `enabled` filled in. */
export const readHours = (given: Static<typeof NewHours>): Hours =>
  given.map(({ day, enabled: isOn = true, start_time, end_time }) => ({
    // Sunday is 0 for integrators and the last of our words.
    day: typeof day === 'number' ? (WEEKDAYS[(day + 6) % 7] as Weekday) : day,
    enabled: isOn,
    start_time,
    end_time,
  }))

/** Holidays in requests. */
export const NewHolidays = Type.Array(
  Type.Object({
    date: checkedText('calendar-date', isCalendarDate, 'must be a date such as 2026-12-25', {
      maxLength: 10,
      description: 'Date, `YYYY-MM-DD`.',
    }),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    intervals: Type.Optional(
      Type.Array(Type.Object(interval), {
        maxItems: 10,
        description: 'Open hours on that date. Empty = closed.',
      }),
    ),
  }),
  { maxItems: 366, description: 'Dates with hours of their own, which replace the weekly hours.' },
)

/** Holidays in responses. */
export const HolidaysView = Type.Array(
  Type.Object({
    date: Type.String(),
    name: Type.String(),
    intervals: Type.Array(Type.Object({ start_time: Type.String(), end_time: Type.String() })),
  }),
  { description: 'Dates with hours of their own, which replace the weekly hours.' },
)

const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** Whether it is open at a time. */
export const BusinessHoursView = Type.Object(
  {
    open: Type.Boolean(),
    timezone: Type.String(),
    closes_at: timeOrNull('Next closing. `null` while it is closed or if it does not close.'),
    opens_at: timeOrNull('Next opening. `null` while it is open or if it does not open.'),
  },
  { title: 'BusinessHours' },
)
