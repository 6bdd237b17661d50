import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, personOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'
import { startRebuilds } from '../../../../src/modules/insight/analytics/rollups/rebuild'

const reportOf = async (world: World): Promise<Loose> =>
  (await (await world.as('manager')).get('/api/analytics/messages')).data

/** Writes more messages than one transaction of a rebuild counts. */
async function busyWorld(): Promise<World> {
  const world = await World.create()
  for (let nth = 0; nth < 12; nth += 1)
    await deliver(world, textTo(world, `Text ${nth}`, { person: personOf(nth % 5) }))
  // Copies of a message, as rows of the database, so that there are many at once.
  world.program.http.db.sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
     insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
     select organization_id, unhex(printf('0199%028d', i)), conversation_id, contact_id, account_id, 'copy' || i, iif(i % 3 = 0, 'image', 'text'), content, preview, status, source, timestamp_ms - i * 1000000, received_at_ms, created_at_ms
     from (select * from messages order by row limit 1), n`,
  )
  return world
}

test('a rebuild that fails in the middle shows the old figures and goes on', async () => {
  await using world = await busyWorld()
  world.stays('how often figures were added up')
  const { sqlite } = world.program.http.db
  const before = await reportOf(world)
  expect(before['summary']).toMatchObject({ total_received: 612, unique_contacts: 5 })
  // Live counts that went wrong are corrected; the second transaction of the rebuild fails.
  sqlite.run('update message_rollups set messages = messages + 7')
  const wrong = await reportOf(world)
  sqlite.run(
    "create temp trigger crash before update of through on rollup_parts when old.through <> zeroblob(16) begin select raise(abort, 'crash'); end",
  )
  startRebuilds(world.program.http)
  await world.settle()
  const meanwhile = await reportOf(world)
  expect([meanwhile['rebuilding'], meanwhile['summary']]).toEqual([true, wrong['summary']])
  await deliver(world, textTo(world, 'In between', { person: personOf(9) }))
  sqlite.run('drop trigger crash')
  world.clock.advance({ hours: 2 })
  await world.settle()
  const after = await reportOf(world)
  expect(after['rebuilding']).toBe(false)
  expect(after['summary']).toMatchObject({ total_received: 613, unique_contacts: 6 })
  const parts = world.rows<{ part: number }>('select distinct part from message_rollups')
  expect(parts).toEqual([{ part: 2 }])
})

test('another time zone moves the figures to its days', async () => {
  await using world = await World.create()
  await deliver(
    world,
    textTo(world, 'Late in the evening', { timestamp: Date.UTC(2026, 10, 18, 20) / 1_000 }),
  )
  const daysOf = async (): Promise<unknown[]> =>
    ((await reportOf(world))['timeline'] as Loose[])
      .filter(({ received }) => received > 0)
      .map(({ date }) => date)
  world.clock.advance({ hours: 1 })
  await world.settle()
  expect(await daysOf()).toEqual(['2026-11-18'])
  const admin = await world.as('admin')
  await admin.put('/api/organizations/settings', { timezone: 'Asia/Tokyo' })
  await world.settle()
  expect(await daysOf()).toEqual(['2026-11-19'])
})

/** Stores copies of the first message: at 2 and at 20 o'clock in UTC on so many days before today. */
function spread(world: World, days: number): void {
  world.program.http.db.sqlite.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into messages (organization_id, id, conversation_id, contact_id, account_id, wa_message_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
     select organization_id, unhex(printf('0199%028d', i * 100 + hour)), conversation_id, contact_id, account_id, 'copy' || i || '-' || hour, type, content, preview, status, source,
       timestamp_ms / 86400000 * 86400000 - i * 86400000 + hour * 3600000, received_at_ms, created_at_ms
     from (select * from messages order by row limit 1), n, (select 2 as hour union all select 20)`,
    [days],
  )
}

/** The days with messages in a time zone, counted from the stored messages. */
function daysIn(world: World, zone: string): Record<string, number> {
  const stored = world.rows<{ at: number }>('select timestamp_ms as at from messages')
  const dates = stored.map(({ at }) =>
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString(),
  )
  return Object.fromEntries(
    [...Map.groupBy(dates, (date) => date)].map(([date, all]) => [date, all.length]),
  )
}

const reportedDays = async (world: World): Promise<Record<string, number>> => {
  const { data } = await (
    await world.as('manager')
  ).get('/api/analytics/messages?start_date=2026-01-20&end_date=2026-11-21')
  const points = (data['timeline'] as { date: string; received: number }[]).filter(
    ({ received }) => received > 0,
  )
  return Object.fromEntries(points.map(({ date, received }) => [date, received]))
}

/** Days of the newest counts that are added up. */
const foldedDays = (world: World): number =>
  world.rows(
    'select 1 from message_rollups where unit = 2 and part = (select max(part) from rollup_parts) group by start',
  ).length

/** Quarter hours that are not added to their day yet, among all counts. */
const daysLeft = (world: World): number =>
  world.rows('select 1 from message_rollups where unit = 0 group by part, start').length

test.each<[string, string[], 'fold' | 'rebuild' | null]>([
  ['during a fold', ['Asia/Tokyo'], 'fold'],
  ['during the fold of a rebuild', ['America/New_York'], 'rebuild'],
  ['twice without a pause', ['Asia/Tokyo', 'America/New_York'], null],
  ['twice without a pause during a fold', ['Asia/Tokyo', 'America/New_York'], 'fold'],
  ['there and back during a fold', ['Asia/Tokyo', 'UTC'], 'fold'],
])('a time zone that changes %s applies to all figures', async (_, zones, under) => {
  await using world = await World.create()
  world.stays('how often figures were added up')
  await world.contactOf()
  spread(world, 290)
  world.clock.advance({ hours: 1 })
  const admin = await world.as('admin')
  const move = async (timezone: string): Promise<void> => {
    expect((await admin.put('/api/organizations/settings', { timezone })).status).toBe(200)
  }
  if (under === 'rebuild') {
    await world.settle()
    await move('Asia/Tokyo')
  }
  const working = under === null ? null : world.work()
  if (under !== null) await world.eventually(() => foldedDays(world) > 0)
  for (const zone of zones) await move(zone)
  // The fold is under way; the rebuild runs beside it.
  if (under !== null) expect(daysLeft(world)).toBeGreaterThan(100)
  await Promise.all([working, world.work()])
  await world.settle()
  expect(await reportedDays(world)).toEqual(daysIn(world, zones.at(-1) ?? ''))
  world.clock.advance({ hours: 1 })
  await world.settle()
  expect(await reportedDays(world)).toEqual(daysIn(world, zones.at(-1) ?? ''))
})

test('tests of templates and messages of the system count nowhere', async () => {
  await using world = await World.create()
  await world.contactOf()
  const { sqlite } = world.program.http.db
  sqlite.run('update messages set is_test = 1')
  expect((await reportOf(world))['summary']).toMatchObject({
    total_received: 0,
    unique_contacts: 0,
  })
  sqlite.run("update messages set is_test = 0, type = 'system'")
  expect((await reportOf(world))['summary']).toMatchObject({
    total_received: 0,
    unique_contacts: 0,
  })
  sqlite.run("update messages set type = 'text'")
  expect((await reportOf(world))['summary']).toMatchObject({
    total_received: 1,
    unique_contacts: 1,
  })
})

test('old days are counted by the month, and hours are dropped', async () => {
  await using world = await World.create()
  await world.contactOf()
  world.clock.advance({ hours: 24 * 365 * 4 })
  await world.settle()
  await world.contactOf() // something to fold
  world.clock.advance({ hours: 24 * 4 })
  await world.settle()
  const units = world.rows<{ unit: number; n: number }>(
    'select unit, sum(messages) as n from message_rollups group by unit order by unit',
  )
  expect(units).toEqual([
    { unit: 1, n: 1 },
    { unit: 2, n: 1 },
    { unit: 3, n: 1 },
  ])
  const { data } = await (
    await world.as('manager')
  ).get('/api/analytics/messages?granularity=month&start_date=2026-11-01')
  const points = (data['timeline'] as Loose[]).filter(({ received }) => received > 0)
  expect(points.map(({ date, received }) => [date, received])).toEqual([
    ['2026-11-01', 1],
    ['2030-11-01', 1],
  ])
})
