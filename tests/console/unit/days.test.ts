import { expect, test } from 'bun:test'

import {
  countDays,
  dayAfter,
  daysBefore,
  daysText,
  PRESET_NAMES,
  readDays,
} from '../../../src/console/texts/days'
import { formatDays, setConventions } from '../../../src/console/texts/format'

test('days that go on with the calendar are those of today', () => {
  const shown = (today: string) => PRESET_NAMES.map((name) => readDays(name, today)).map(textOf)
  expect(shown('2024-03-31')).toEqual([
    '2024-03-31_2024-03-31',
    '2024-03-25_2024-03-31',
    '2024-03-02_2024-03-31',
    '2024-01-02_2024-03-31',
    '2024-03-01_2024-03-31',
    '2024-02-01_2024-02-29',
  ])
  expect(shown('2026-01-01').at(-1)).toBe('2025-12-01_2025-12-31')
})

const textOf = (days: ReturnType<typeof readDays>): string => (days ? daysText(days) : 'none')

test('an address names a first and a last day, or nothing', () => {
  const read = (text: string) => textOf(readDays(text, '2026-11-21'))
  expect(read('0002-12-01_2026-12-01')).toBe('none')
  expect(read('2026-02-01_2026-02-28')).toBe('2026-02-01_2026-02-28')
  for (const wrong of [
    ...['', '_', '2026-02-01', '2026-02-29_2026-03-01', '2026-02-02_2026-02-01', 'toString'],
    ...['2026-02-01_2026-02-02_2026-02-03', '2026-13-01_2026-13-02', '1d'],
  ])
    expect(read(wrong)).toBe('none')
})

test('the days before are as many', () => {
  const march = { from: '2026-03-01', to: '2026-03-31' }
  expect(countDays(march)).toBe(31)
  expect(daysBefore(march)).toEqual({ from: '2026-01-29', to: '2026-02-28' })
  expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01')
})

test('days are written as the organization writes dates', () => {
  const november = { from: '2026-11-01', to: '2026-11-30' }
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    setConventions({ timeZone, dateFormat: 'DD.MM.YYYY' })
    expect(formatDays(november)).toBe('01.11.2026 – 30.11.2026')
    expect(formatDays({ from: '2026-11-01', to: '2026-11-01' })).toBe('01.11.2026')
    setConventions({ timeZone, dateFormat: 'YYYY-MM-DD' })
    expect(formatDays(november)).toBe('Nov 1 – 30, 2026')
  }
})
