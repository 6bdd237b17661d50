import { expect, test } from 'bun:test'

import { DAY_MS } from '../../../../src/lib/clock'
import { CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { World } from '../../../support/world'

const count = (world: World, table: string): number =>
  Number(world.rows(`select count(*) as n from ${table}`)[0]?.['n'])

/** Advances the clock by a number of days, one night at a time. */
async function nights(world: World, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance({ hours: 24 })
    await world.settle()
  }
}

test('retention limits have bounds, and changes are in the audit log', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const admin = await world.as('admin')
  const usual = {
    messages_days: null,
    media_days: null,
    notes_days: null,
    contacts_inactive_days: null,
    journal_days: 14,
    legal_hold: false,
  }
  expect((await admin.get('/api/retention')).data).toEqual({
    ...usual,
    next_run_at: '2026-11-22T03:00:00.000Z',
    effective_at: null,
    updated_at: '1970-01-01T00:00:00.000Z',
  })
  for (const bad of [
    {},
    { messages_days: 3 },
    { notes_days: 6 },
    { journal_days: 91 },
    { journal_days: null },
    { media_days: 3_651 },
    { legal_hold: 'yes' },
  ])
    expect((await admin.put('/api/retention', bad)).status).toBe(400)
  const { status, data } = await admin.put('/api/retention', { messages_days: 30, journal_days: 7 })
  expect([status, data]).toEqual([
    200,
    {
      ...usual,
      messages_days: 30,
      journal_days: 7,
      next_run_at: '2026-11-22T03:00:00.000Z',
      effective_at: '2026-11-22T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    },
  ])
  await admin.put('/api/organizations/settings', { timezone: 'America/New_York' })
  expect((await admin.get('/api/retention')).data['next_run_at']).toBe('2026-11-22T08:00:00.000Z')
  world.clock.advance({ hours: 25 })
  expect((await (await world.as('admin')).get('/api/retention')).data['effective_at']).toBeNull()
  const { data: log } = await (
    await world.as('admin')
  ).get('/api/audit-logs?resource_type=retention')
  expect(
    (log['items'] as Loose[]).map(({ changes }) =>
      (changes as Loose[]).map(({ field }) => field as string),
    ),
  ).toEqual([['messages_days', 'journal_days']])
})

test('a nightly sweep deletes expired data and keeps newer data, other organizations and pending messages', async () => {
  await using world = await World.create({ env: { JOURNAL_DAYS: '30' } })
  world.stays('the journal of webhooks')
  const old = await world.contactOf(world.tenant, 'An old story', '15550700001')
  const silent = await world.contactOf(world.tenant, 'Then silence', '15550700002')
  await world.contactOf(world.other, 'Somebody else’s', '15550700003')
  const admin = await world.as('admin')
  await admin.post(`/api/contacts/${old['id']}/notes`, { content: 'An old note' })
  await world.settle()
  const limits = { messages_days: 10, notes_days: 12, contacts_inactive_days: 20, journal_days: 8 }
  world.clock.advance({ hours: 24 * 9 })
  const boss = await world.as('admin')
  const inAWeek = { messages_days: 8, notes_days: 8, contacts_inactive_days: 8 }
  expect((await boss.post('/api/retention/preview', inAWeek)).data).toEqual({
    would_delete: { messages: 2, media: 0, media_bytes: 0, notes: 1, contacts: 2 },
  })
  expect((await boss.post('/api/retention/preview')).data['would_delete']).toMatchObject({
    messages: 0,
  })
  expect(
    (await boss.post('/api/retention/preview', { ...inAWeek, legal_hold: true })).data[
      'would_delete'
    ],
  ).toMatchObject({ messages: 0 })
  expect(count(world, 'messages')).toBe(3)
  await boss.put('/api/retention', limits)
  await world.simulator
    .customer({ phone: world.tenant.phoneId, waId: '15550700001' })
    .says('A new story')
  await world.settle()

  await nights(world, 2)
  // Day 11: two old messages are gone, and their webhook deliveries.
  expect(
    world.rows('select preview from messages order by preview').map(({ preview }) => preview),
  ).toEqual(['A new story', 'Somebody else’s'])
  expect(count(world, 'notes')).toBe(1)
  const { data: kept } = await (await world.as('admin')).get(`/api/contacts/${silent['id']}`)
  expect(kept['last_message_preview']).toBeNull()
  expect(count(world, 'inbound_bodies')).toBe(2)
  await nights(world, 2)
  expect(count(world, 'notes')).toBe(0)
  await nights(world, 8)
  // Day 21: a contact without activity is erased, with a receipt.
  const { data: contacts } = await (await world.as('admin')).get('/api/contacts')
  expect((contacts['items'] as Loose[]).map(({ id }) => id as string)).toEqual([
    old['id'] as string,
  ])
  expect((await (await world.as('admin')).get('/api/privacy/requests')).data).toMatchObject({
    total: 1,
    items: [
      {
        kind: 'erase',
        state: 'completed',
        contact_id: silent['id'],
        reason: null,
        requested_by: null,
      },
    ],
  })
  expect((await (await world.as('admin', world.other)).get('/api/contacts')).data['total']).toBe(1)
  expect(
    world.rows(
      "select state, count(*) as n from jobs where kind like 'retention.%' and state <> 'completed' group by state",
    ),
  ).toEqual([])
})

test('a shortened limit applies a day later, and a legal hold keeps everything', async () => {
  await using world = await World.create({ tenants: 1 })
  await world.contactOf()
  world.clock.advance({ hours: 24 * 30 })
  await (await world.as('admin')).put('/api/retention', { messages_days: 7 })
  world.clock.advance({ hours: 20 }) // a night has come
  await world.settle()
  expect(count(world, 'messages')).toBe(1)
  await (await world.as('admin')).put('/api/retention', { legal_hold: true })
  await nights(world, 2)
  expect(count(world, 'messages')).toBe(1)
  // The nightly sweeps still run.
  const today = new Date(world.clock.nowMs()).toISOString().slice(0, 10)
  expect(world.rows('select last_run_day from retention_settings')).toEqual([
    { last_run_day: today },
  ])
  await (await world.as('admin')).put('/api/retention', { legal_hold: false })
  await nights(world, 2)
  expect(count(world, 'messages')).toBe(0)
})

test('a legal hold keeps stored webhook deliveries beyond every limit, and only those of its organization', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  const admin = () => world.as('admin')
  const stored = async (tenant = world.tenant): Promise<unknown> =>
    (await (await world.as('admin', tenant)).get('/api/inbound/events')).data['total']
  await world.contactOf()
  await world.contactOf(world.other)
  await (await admin()).put('/api/retention', { journal_days: 7, legal_hold: true })
  await nights(world, 10)
  expect([await stored(), await stored(world.other)]).toEqual([1, 1])
  world.clock.advance({ hours: 24 * 20 }) // longer than the installation keeps deliveries
  await nights(world, 1)
  expect([await stored(), await stored(world.other)]).toEqual([1, 0])
  await (await admin()).put('/api/retention', { legal_hold: false })
  await nights(world, 2)
  expect([await stored(), count(world, 'inbound_bodies')]).toEqual([0, 0])
})

test('two changes within a day apply a day after the second one', async () => {
  await using world = await World.create({ tenants: 1 })
  await world.contactOf()
  world.clock.advance({ hours: 24 * 30 })
  await (await world.as('admin')).put('/api/retention', { messages_days: 10 })
  world.clock.advance({ hours: 12 })
  const { data } = await (
    await world.as('admin')
  ).put('/api/retention', { messages_days: 9, notes_days: 20 })
  expect(data['effective_at']).toBe('2026-12-22T21:30:00.000Z')
  world.clock.advance({ hours: 10 }) // a night has come
  await world.settle()
  expect(world.rows('select last_run_day from retention_settings')).toEqual([
    { last_run_day: '2026-12-22' },
  ])
  expect(count(world, 'messages')).toBe(1)
  await nights(world, 1)
  expect(count(world, 'messages')).toBe(0)
})

test('the longer limit of two changes within a day applies immediately', async () => {
  await using world = await World.create({ tenants: 1 })
  await world.contactOf()
  const put = async (messages_days: number | null) =>
    (await world.as('admin')).put('/api/retention', { messages_days })
  await put(60)
  world.clock.advance({ hours: 24 * 30 })
  await put(7)
  world.clock.advance({ hours: 1 })
  expect((await put(365)).data).toMatchObject({ messages_days: 365, effective_at: null })
  await nights(world, 40)
  expect(count(world, 'messages')).toBe(1)
})

test('contacts pending in a scheduled or paused campaign are kept, finished ones are erased', async () => {
  await using fixture = await CampaignFixture.open({ tenants: 1 })
  const { world } = fixture
  const numbers = ['15550700001', '15550700002', '15550700003']
  for (const number of numbers) await world.contactOf(world.tenant, 'Hello', number)
  const send_window = {
    from: '12:00',
    to: '13:00',
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  }
  const [scheduled, paused, drafted] = await Promise.all(
    numbers.map((number) => fixture.draftFor([number], { send_window })),
  )
  const inMs = (ms: number): string => new Date(world.clock.nowMs() + ms).toISOString()
  expect(
    (await fixture.do(scheduled ?? '', 'schedule', { scheduled_at: inMs(50 * DAY_MS) })).status,
  ).toBe(200)
  expect((await fixture.do(paused ?? '', 'start')).status).toBe(200)
  await world.settle()
  expect((await fixture.do(paused ?? '', 'pause')).status).toBe(200)
  await world.settle()
  expect(
    await Promise.all(
      [scheduled, paused, drafted].map(
        async (id) => (await fixture.campaign(id ?? ''))['status'] as string,
      ),
    ),
  ).toEqual(['scheduled', 'paused', 'draft'])
  await (await world.as('admin')).put('/api/retention', { contacts_inactive_days: 7 })
  await nights(world, 12)
  const left = async (): Promise<string[]> =>
    ((await (await world.as('admin')).get('/api/contacts')).data['items'] as Loose[])
      .map(({ phone_number }) => phone_number as string)
      .toSorted()
  expect(await left()).toEqual(numbers.slice(0, 2))
  for (const id of [scheduled, paused])
    expect((await fixture.do(id ?? '', 'cancel')).status).toBe(200)
  await nights(world, 1)
  expect(await left()).toEqual([])
})

test('a preview counts files with their bytes, limited to kinds with a limit', async () => {
  await using world = await World.create()
  await world.contactOf()
  const file = { type: 'text/plain', name: 'a.txt' }
  for (const [tenant, bytes] of [
    [world.tenant, 100],
    [world.tenant, 23],
    [world.other, 7],
  ] as const)
    await upload(await world.as('admin', tenant), { ...file, bytes: Buffer.alloc(bytes, 'a') })
  world.clock.advance({ hours: 24 * 9 })
  const admin = await world.as('admin')
  await upload(admin, { ...file, bytes: Buffer.alloc(1_000, 'b') })
  const nothing = { messages: 0, media: 0, media_bytes: 0, notes: 0, contacts: 0 }
  const preview = async (body?: Loose) =>
    (await admin.post('/api/retention/preview', body)).data['would_delete'] as Loose
  expect(await preview()).toEqual(nothing)
  expect(await preview({ messages_days: 8 })).toEqual({ ...nothing, messages: 1 })
  expect(await preview({ media_days: 8 })).toEqual({ ...nothing, media: 2, media_bytes: 123 })
  expect(await preview({ media_days: 10 })).toEqual(nothing)
  await admin.put('/api/retention', { media_days: 8 })
  expect(await preview()).toEqual({ ...nothing, media: 2, media_bytes: 123 })
  expect(await preview({ notes_days: 8 })).toMatchObject({ media: 2 })
  expect(await preview({ media_days: null })).toEqual(nothing)
  expect(await preview({ legal_hold: true })).toEqual(nothing)
})

test("a sweep starts at 03:00 in the organization's time zone and runs once per night", async () => {
  await using world = await World.create({ tenants: 1 })
  await (await world.as('admin')).put('/api/retention', { messages_days: 7 })
  const ran = () => world.rows('select last_run_day from retention_settings')[0]?.['last_run_day']
  const sweeps = () =>
    world.rows("select count(*) as n from jobs where kind = 'retention.sweep'")[0]?.['n']
  world.clock.advance({ minutes: 15 })
  await world.settle()
  // The clock shows 09:45, so the sweep is due.
  expect(ran()).toBe('2026-11-21')
  world.clock.advance({ hours: 17 })
  await world.settle()
  expect(ran()).toBe('2026-11-21')
  world.clock.advance({ minutes: 15 })
  await world.settle()
  expect(ran()).toBe('2026-11-22')
  const before = sweeps()
  world.clock.advance({ minutes: 30 })
  await world.settle()
  expect(sweeps()).toBe(before)
})

test('a sweep erases all expired data in any number of steps', async () => {
  await using world = await World.create({ tenants: 1 })
  for (let nth = 0; nth < 45; nth += 1)
    await world.contactOf(world.tenant, `Hello ${nth}`, String(15550700001 + nth))
  world.clock.advance({ hours: 24 * 30 })
  await (await world.as('admin')).put('/api/retention', { contacts_inactive_days: 7 })
  await nights(world, 2)
  expect((await (await world.as('admin')).get('/api/contacts')).data['total']).toBe(0)
  expect(count(world, 'messages')).toBe(0)
})

test('a limit for one kind of data erases no other kind', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf()
  await (await world.as('admin')).post(`/api/contacts/${id}/notes`, { content: 'A note' })
  const left = () =>
    ['messages', 'notes', 'contacts'].map((table) =>
      count(world, table === 'contacts' ? 'contacts where deleted_at_ms is null' : table),
    )
  world.clock.advance({ hours: 24 * 30 })
  await nights(world, 2)
  expect(left()).toEqual([1, 1, 1])
  await (await world.as('admin')).put('/api/retention', { notes_days: 7 })
  await nights(world, 2)
  expect(left()).toEqual([1, 0, 1])
})
