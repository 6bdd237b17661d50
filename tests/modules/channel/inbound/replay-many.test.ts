import { expect, test } from 'bun:test'

import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

const unrouted = (index: number) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: { metadata: { phone_number_id: '999' }, messages: [{ id: `wamid.${index}` }] },
        },
      ],
    },
  ],
})

test('replays many changes for a super admin; a second replay changes nothing', async () => {
  await using world = await World.create({ env: { RATE_BULK: '10' } })
  world.stays('the journal of webhooks')
  for (let index = 0; index < 300; index += 1) await world.simulator.post(unrouted(index))
  await world.contactOf()
  const root = await world.as('super')
  const answer = await root.post('/api/inbound/replay', { state: 'unrouted' })
  expect(answer.status).toBe(202)
  expect(answer.data).toEqual({ queued: 300 })
  expect(answer.headers.get('x-ratelimit-limit')).toBe('10')
  await world.settle()
  expect(
    world.rows(
      "select state, attempts, count(*) as n from inbound_events where phone_number_id = '999' group by state, attempts",
    ),
  ).toEqual([{ state: 'unrouted', attempts: 2, n: 300 }])
  const written = (await root.get('/api/audit-logs?action=replayed')).data['items']
  expect(written).toMatchObject([
    {
      resource_type: 'inbound_event',
      changes: [{ field: 'changes', old_value: null, new_value: 300 }],
    },
  ])
  expect((await root.post('/api/inbound/replay', { state: 'done' })).data).toEqual({ queued: 1 })
  await world.settle()
  expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 1 }])
})

test('allows super admins only, ten times a minute, and validates the times', async () => {
  await using world = await World.create({ env: { RATE_BULK: '10' } })
  world.stays('the memory of a process')
  const admin = await world.as('admin')
  const refused = await admin.post('/api/inbound/replay', {})
  expect(refused).toMatchObject({ status: 403, body: { code: 'super_admin_required' } })
  const root = await world.as('super')
  expect(await root.post('/api/inbound/replay', { from: 'yesterday' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body.from' }] },
  })
  for (let index = 1; index < 10; index += 1)
    expect((await root.post('/api/inbound/replay', {})).status).toBe(202)
  const over = await root.post('/api/inbound/replay', {})
  expect(over.status).toBe(429)
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await root.get('/api/me')).status).toBe(200)
})

test('refuses more than 100,000 changes at once, and changes none of them', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  await world.simulator.post(unrouted(0))
  await world.settle()
  const { sqlite } = world.program.http.db
  const columns = world
    .rows<{ name: string }>("select name from pragma_table_info('inbound_events')")
    .map(({ name }) => name)
  const copied = columns.map((name) =>
    name === 'id' ? "unhex(printf('01900000000070008101%012x', i))" : `one.${name}`,
  )
  const copies = (first: number, last: number): void =>
    void changeRows(
      sqlite,
      `with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
       insert into inbound_events (${columns.join()}) select ${copied.join()}
       from n, (select * from inbound_events where phone_number_id = '999' limit 1) as one`,
    )
  const root = await world.as('super')
  copies(1, 100_000)
  expect(await root.post('/api/inbound/replay', { state: 'unrouted' })).toMatchObject({
    status: 400,
    body: { code: 'too_many' },
  })
  expect(world.rows("select count(*) as n from inbound_events where state = 'pending'")).toEqual([
    { n: 0 },
  ])
  sqlite.run("delete from inbound_events where id = unhex('01900000000070008101000000000001')")
  const { status, data } = await root.post('/api/inbound/replay', { state: 'unrouted' })
  expect([status, data]).toEqual([202, { queued: 100_000 }])
})
