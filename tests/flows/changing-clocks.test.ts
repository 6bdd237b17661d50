import { describe, expect, test } from 'bun:test'

import { localDateOf, localDays, timeSpanOf } from '../../src/lib/local-day'
import type { Loose } from '../support/client'
import { World } from '../support/world'

/**
 * Days on which clocks change far east of Greenwich, and at midnight: their first instant, the
 * first of the next day, and 03:00 on their walls.
 */
const DAYS: [zone: string, date: string, fromIso: string, beforeIso: string, nightIso: string][] = [
  [
    'Pacific/Auckland',
    '2027-04-04',
    '2027-04-03T11:00:00.000Z',
    '2027-04-04T12:00:00.000Z',
    '2027-04-03T15:00:00.000Z',
  ],
  [
    'Pacific/Auckland',
    '2027-09-26',
    '2027-09-25T12:00:00.000Z',
    '2027-09-26T11:00:00.000Z',
    '2027-09-25T14:00:00.000Z',
  ],
  [
    'Australia/Sydney',
    '2027-04-04',
    '2027-04-03T13:00:00.000Z',
    '2027-04-04T14:00:00.000Z',
    '2027-04-03T17:00:00.000Z',
  ],
  [
    'Australia/Sydney',
    '2027-10-03',
    '2027-10-02T14:00:00.000Z',
    '2027-10-03T13:00:00.000Z',
    '2027-10-02T16:00:00.000Z',
  ],
  [
    'America/Santiago',
    '2027-04-03',
    '2027-04-03T03:00:00.000Z',
    '2027-04-04T04:00:00.000Z',
    '2027-04-03T06:00:00.000Z',
  ],
  [
    'America/Santiago',
    '2027-09-05',
    '2027-09-05T04:00:00.000Z',
    '2027-09-06T03:00:00.000Z',
    '2027-09-05T06:00:00.000Z',
  ],
]

const dayAfter = (date: string): string =>
  new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
const dayBefore = (date: string): string =>
  new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)

describe.each(DAYS)('%s on %s', (zone, date, fromIso, beforeIso, nightIso) => {
  const [fromMs, beforeMs] = [Date.parse(fromIso), Date.parse(beforeIso)]

  test('a local day spans exactly its instants and touches the days beside it', () => {
    expect(timeSpanOf(date, zone)).toEqual({ fromMs, beforeMs })
    expect(
      [fromMs - 1, fromMs, beforeMs - 1, beforeMs].map((atMs) => localDateOf(atMs, zone)),
    ).toEqual([dayBefore(date), date, date, dayAfter(date)])
    const days = localDays(dayBefore(date), dayAfter(date), zone)
    expect(days.map((day) => day.date)).toEqual([dayBefore(date), date, dayAfter(date)])
    expect(days.map((day) => (day.beforeMs - day.fromMs) / 3_600_000)).toEqual([
      24,
      (beforeMs - fromMs) / 3_600_000,
      24,
    ])
    expect([days[0]?.beforeMs, days[2]?.fromMs]).toEqual([fromMs, beforeMs])
  })

  test('day filters and nightly runs of an organization use local days', async () => {
    await using world = await World.create({ tenants: 1, isConnected: false })
    await (await world.as('admin')).put('/api/organizations/settings', { timezone: zone })
    const made: [name: string, atMs: number][] = [
      ['before', fromMs - 1],
      ['first', fromMs],
      ['last', beforeMs - 1],
      ['after', beforeMs],
    ]
    for (const [name, atMs] of made) {
      world.clock.advance({ ms: atMs - world.clock.nowMs() })
      const admin = await world.as('admin')
      if (atMs <= fromMs)
        expect((await admin.get('/api/retention')).data['next_run_at']).toBe(nightIso)
      expect((await admin.post('/api/tags', { name })).status).toBe(201)
    }
    const { data } = await (
      await world.as('admin')
    ).get(`/api/audit-logs?resource_type=tag&from=${date}&to=${date}`)
    expect((data['items'] as Loose[]).map((entry) => entry['resource_name'] as string)).toEqual([
      'last',
      'first',
    ])
  })

  test('a range of past days follows the calendar, down to its last millisecond', async () => {
    await using world = await World.create({ tenants: 1, isConnected: false })
    world.clock.advance({ ms: beforeMs - 1 - world.clock.nowMs() })
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { timezone: zone })
    const { data: report } = await admin.get('/api/me/report')
    expect(report['timeline']).toHaveLength(30)
    expect(report['range']).toMatchObject({ end_date: date })
    await admin.post('/api/contact-attributes', { key: 'since', label: 'Since', type: 'date' })
    await admin.post('/api/contacts', {
      phone_number: '15550700001',
      name: 'Ana',
      attributes: { since: dayBefore(date) },
    })
    const yesterday = { field: 'attributes.since', op: 'within_days', value: 1 }
    expect((await admin.post('/api/segments/preview', { filter: yesterday })).data).toMatchObject({
      count: 1,
    })
  })
})
