import { expect, test } from 'bun:test'

import { World } from '../../../support/world'

test('deletes expired data and keeps the rest', async () => {
  await using world = await World.create()
  await world.contactOf()
  await world.simulator.post({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [{ field: 'messages', value: { metadata: { phone_number_id: '999' } } }],
      },
    ],
  })
  await world.settle()
  const count = (table: string): number =>
    Number(world.rows(`select count(*) as n from ${table}`)[0]?.['n'])
  expect(count('inbound_bodies')).toBe(2)
  expect(count('events')).toBeGreaterThan(2)

  world.clock.advance({ hours: 23 })
  await world.settle()
  expect(count('inbound_bodies')).toBe(2)
  const eventsBefore = count('events')

  world.clock.advance({ hours: 24 * 15 })
  await world.settle()
  expect(count('inbound_bodies')).toBe(0)
  expect(count('inbound_events')).toBe(0)
  expect(count('events')).toBeLessThan(eventsBefore)
  expect(count('messages')).toBe(1)
  expect(
    world.rows(
      "select state, count(*) as n from jobs where kind = 'system.prune-old-data' group by state",
    ),
  ).toEqual([{ state: 'completed', n: 1 }])
})

test('keeps an unprocessed delivery of any age', async () => {
  await using world = await World.create()
  await world.contactOf()
  world.rows("update inbound_events set state = 'processing'")
  world.clock.advance({ hours: 24 * 20 })
  await world.settle()
  expect(world.rows('select state from inbound_events')).toEqual([{ state: 'processing' }])
})

test('a delivery of a clock that was ahead keeps no older one from being deleted', async () => {
  await using world = await World.create()
  const { sqlite } = world.program.http.db
  const insert = sqlite.query(
    "insert into inbound_bodies (received_at_ms, digest, signed_by, size_bytes, body) values (?, ?, 'app', 2, x'00')",
  )
  const nowMs = world.clock.nowMs()
  for (const [nth, receivedAtMs] of [nowMs + 400 * 86_400_000, 1, nowMs, 2].entries())
    insert.run(receivedAtMs, Buffer.alloc(32, nth))
  world.clock.advance({ hours: 1 })
  await world.settle()
  expect(world.rows('select id from inbound_bodies order by id')).toEqual([
    { id: 1 },
    { id: 3 },
    { id: 4 },
  ])
})

test('deletes all that is old in one run, also after a busy day', async () => {
  await using world = await World.create()
  const { sqlite } = world.program.http.db
  const kept = 250
  sqlite.run(
    `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < 41000)
     insert into inbound_bodies (id, received_at_ms, digest, signed_by, part, size_bytes, body)
     select n, 1, unhex(printf('%064x', n)), 'platform', 0, 2, x'7b7d' from nth`,
  )
  sqlite.run(
    `insert into inbound_events (id, body_id, entry_index, change_index, received_at_ms, field, state)
     select unhex(printf('%032x', id)), id, 0, 0, 1, 'messages', 'processing' from inbound_bodies order by id limit ${kept}`,
  )
  world.clock.advance({ hours: 1 })
  await world.settle()
  expect(world.rows('select count(*) as n from inbound_bodies')).toEqual([{ n: kept }])
})
