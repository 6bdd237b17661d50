import { expect, test } from 'bun:test'

import { localDayOf, localDays } from '../../src/lib/local-day'

// Clocks change at midnight in Beirut and Santiago, by half an hour on Lord Howe, and stood still in
// Ramadan in Cairo. Apia left out a day.
test.each([
  ['Europe/Berlin', '2026-01-15'],
  ['Asia/Beirut', '2026-01-15'],
  ['America/Santiago', '2026-01-15'],
  ['Australia/Lord_Howe', '2026-01-15'],
  ['Africa/Cairo', '2014-01-01'],
  ['Pacific/Apia', '2011-06-01'],
])('days in %s are the same in a list and one by one', (timezone, first) => {
  const last = Temporal.PlainDate.from(first).add({ days: 400 }).toString()
  const days = localDays(first, last, timezone)
  expect(days).toHaveLength(401)
  expect(days).toEqual(days.map(({ date }) => localDayOf(date, timezone)))
})

test('a range that ends before it begins has no days', () => {
  expect(localDays('2026-01-02', '2026-01-01', 'UTC')).toEqual([])
})
