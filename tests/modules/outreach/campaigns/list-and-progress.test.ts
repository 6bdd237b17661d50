import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

test('lists campaigns by state, phone number, template, name and creation date', async () => {
  const other = await approvedTemplate(fixture.world, { name: 'other' })
  const first = await fixture.draft({ name: 'Frühling' })
  fixture.world.clock.advance({ hours: 48 })
  const second = await fixture.draft({ name: 'Summer sale', template_id: other })
  await fixture.do(second, 'cancel')
  const found = async (query: string): Promise<unknown[]> =>
    ((await (await fixture.manager).get(`/api/campaigns?${query}`)).data['items'] as Loose[]).map(
      ({ id }) => id as unknown,
    )
  expect(await found('')).toEqual([second, first])
  expect(await found('status=draft')).toEqual([first])
  expect(await found('status=cancelled')).toEqual([second])
  expect(await found(`template_id=${other}`)).toEqual([second])
  expect(await found(`account_id=${fixture.world.tenant.accountId}&search=fruhl`)).toEqual([first])
  expect(await found('search=%25')).toEqual([])
  const client = await fixture.manager
  const filter = { field: 'country', op: 'eq', value: 'DE' }
  const { data: segment } = await client.post('/api/segments', { name: 'Guests', filter })
  const segmentId = String(segment['id'])
  expect(await found(`segment_id=${segmentId}`)).toEqual([])
  await client.put(`/api/campaigns/${first}`, { audience: { segment_id: segmentId } })
  expect(await found(`segment_id=${segmentId.toUpperCase()}`)).toEqual([first])
  const day = new Date(fixture.world.clock.nowMs()).toISOString().slice(0, 10)
  expect(await found(`from=${day}`)).toEqual([second])
  expect(
    await found(
      `to=${new Date(fixture.world.clock.nowMs() - 86_400_000).toISOString().slice(0, 10)}`,
    ),
  ).toEqual([first])
  for (const query of ['from=yesterday', 'to=2026-02-30', 'status=sent', 'account_id=x'])
    expect([query, (await (await fixture.manager).get(`/api/campaigns?${query}`)).status]).toEqual([
      query,
      400,
    ])
})

test('reports the speed of the last minute and the expected end', async () => {
  const people = numbersOf(60, 15_550_960_000)
  const id = await fixture.draftFor(people, { rate_limit: 1 })
  const progress = async (): Promise<Loose> =>
    (await (await fixture.manager).get(`/api/campaigns/${id}/progress`)).data
  expect(await progress()).toMatchObject({
    status: 'draft',
    rate_per_minute: 0,
    eta_seconds: null,
    pending_count: 60,
  })
  await fixture.do(id, 'start')
  for (let second = 0; second < 20; second += 1) {
    await fixture.world.settle()
    fixture.world.clock.advance({ seconds: 1 })
  }
  await fixture.world.settle()
  const under = await progress()
  expect(under).toMatchObject({ status: 'sending', sent_count: 21, rate_per_minute: 21 })
  expect(Number(under['eta_seconds'])).toBeGreaterThanOrEqual(35)
  expect(Number(under['eta_seconds'])).toBeLessThanOrEqual(41)
  expect(await fixture.campaign(id)).toMatchObject({ eta_at: under['eta_at'] })
  await fixture.do(id, 'pause')
  expect(await progress()).toMatchObject({
    status: 'paused',
    pause_reason: 'user',
    rate_per_minute: 0,
    eta_seconds: null,
  })
  await fixture.do(id, 'cancel')
})

test('begins funnel days at local midnight, also in time zones with half hours', async () => {
  // Midnight in Kolkata is 18:30 UTC.
  const today = Math.floor(fixture.world.clock.nowMs() / 86_400_000) * 86_400_000
  fixture.world.clock.advance({
    ms: today + 86_400_000 + 18 * 3_600_000 + 25 * 60_000 - fixture.world.clock.nowMs(),
  })
  const id = await fixture.draftFor(numbersOf(2, 15_550_961_000), {
    timezone: 'Asia/Kolkata',
    rate_limit: 1,
  })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  await fixture.do(id, 'pause')
  fixture.world.clock.advance({ minutes: 10 })
  await fixture.do(id, 'resume')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  const series = async (interval: string): Promise<unknown[]> =>
    (
      (await (await fixture.manager).get(`/api/campaigns/${id}/funnel?interval=${interval}`)).data[
        'series'
      ] as Loose[]
    ).map(({ at, sent }) => [at, sent])
  const iso = (ms: number): string => new Date(ms).toISOString()
  const midnight = today + 86_400_000 + 18.5 * 3_600_000
  expect(await series('day')).toEqual([
    [iso(midnight - 86_400_000), 1],
    [iso(midnight), 1],
  ])
  expect(await series('hour')).toEqual([[iso(midnight - 1_800_000), 2]])
})

test('counts each step of a recipient in the interval in which it was reached', async () => {
  const id = await fixture.draftFor(numbersOf(5, 15_550_962_000))
  const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`)
  const reached = [
    ['sent_at_ms', '01T09:00', '01T09:59', '01T10:00', null],
    ['delivered_at_ms', '01T09:01', '01T10:00', '01T10:01', null],
    ['read_at_ms', '01T10:30', '02T10:00', null, null],
    ['replied_at_ms', '02T10:01', null, null, null],
    ['clicked_at_ms', '02T10:02', '02T11:00', null, null],
    ['failed_at_ms', null, null, null, '01T09:30', '02T10:30'],
  ] as const
  const people = await fixture.recipients(id)
  for (const [column, ...times] of reached)
    for (const [nth, time] of times.entries())
      changeRows(
        fixture.world.program.http.db.sqlite,
        `update campaign_recipients set ${column} = ? where id = ?`,
        [time === null ? null : at(time), String(people[nth]?.['id'])],
      )
  const none = { sent: 0, delivered: 0, read: 0, replied: 0, clicked: 0, failed: 0 }
  const funnel = async (query: string): Promise<Loose> =>
    (await (await fixture.manager).get(`/api/campaigns/${id}/funnel${query}`)).data
  expect(await funnel('')).toEqual({
    interval: 'hour',
    series: [
      { ...none, at: '2026-11-01T09:00:00.000Z', sent: 2, delivered: 1, failed: 1 },
      { ...none, at: '2026-11-01T10:00:00.000Z', sent: 1, delivered: 2, read: 1 },
      { ...none, at: '2026-11-02T10:00:00.000Z', read: 1, replied: 1, clicked: 1, failed: 1 },
      { ...none, at: '2026-11-02T11:00:00.000Z', clicked: 1 },
    ],
  })
  const { data: campaign } = await (await fixture.manager).get(`/api/campaigns/${id}`)
  expect(campaign['timezone']).toBe('UTC')
  expect(await funnel('?interval=day')).toEqual({
    interval: 'day',
    series: [
      { ...none, at: '2026-11-01T00:00:00.000Z', sent: 3, delivered: 3, read: 1, failed: 1 },
      { ...none, at: '2026-11-02T00:00:00.000Z', read: 1, replied: 1, clicked: 2, failed: 1 },
    ],
  })
})

test('leaves the oldest of more than a thousand hours out of the funnel', async () => {
  const id = await fixture.draftFor(numbersOf(170, 15_550_963_000))
  const steps = ['sent', 'delivered', 'read', 'replied', 'clicked', 'failed']
  const begin = Date.parse('2026-01-01T00:00:00Z')
  for (const [nth, step] of steps.entries())
    changeRows(
      fixture.world.program.http.db.sqlite,
      `update campaign_recipients set ${step}_at_ms = ? + 3600000 * nth
       from (select id as of, row_number() over (order by id) - 1 as nth
         from campaign_recipients where campaign_id = ?) where of = campaign_recipients.id`,
      [begin + nth * 170 * 3_600_000, id],
    )
  const { data } = await (await fixture.manager).get(`/api/campaigns/${id}/funnel`)
  const series = data['series'] as Loose[]
  expect([series.length, series[0]?.['at'], series.at(-1)?.['at']]).toEqual([
    1_000,
    new Date(begin + 20 * 3_600_000).toISOString(),
    new Date(begin + 1_019 * 3_600_000).toISOString(),
  ])
})
