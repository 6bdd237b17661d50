import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'
import { changeRows } from '../../../support/sql'
import { World, type Tenant } from '../../../support/world'

test('payloads are deleted after a week, deliveries after a month, then deleted endpoints', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = (tenant: Tenant = world.tenant) => world.as('admin', tenant)
  const create = async (tenant: Tenant): Promise<string> => {
    const input = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
    return String((await (await admin(tenant)).post('/api/webhooks', input)).data['id'])
  }
  const happens = async (tenant: Tenant, phone: string): Promise<string> => {
    const { data } = await (await admin(tenant)).post('/api/contacts', { phone_number: phone })
    await world.settle()
    return String(data['id'])
  }
  const list = async (tenant: Tenant, id: string): Promise<Loose[]> =>
    (await (await admin(tenant)).get(`/api/webhooks/${id}/deliveries`)).data['items'] as Loose[]
  const after = async (days: number): Promise<void> => {
    world.clock.advance({ hours: days * 24 })
    await world.settle()
  }
  const count = (table: string): unknown => world.rows(`select count(*) as n from ${table}`)[0]?.n
  const [id, other] = [await create(world.tenant), await create(world.other)]
  await happens(world.tenant, '+15556000001')
  const [delivery] = await list(world.tenant, id)
  const path = `/api/webhooks/deliveries/${delivery?.['id']}`

  await after(6)
  expect((await (await admin()).get(path)).data['payload']).not.toBeNull()
  await after(2)
  expect((await (await admin()).get(path)).data).toMatchObject({ payload: null, attempts: [{}] })
  const again = await (await admin()).post(`${path}/resend`)
  expect([again.status, again.body.code]).toEqual([409, 'payload_pruned'])

  await after(12)
  await happens(world.other, '+15556000002')
  await after(11)
  expect(await list(world.tenant, id)).toEqual([])
  expect((await (await admin()).get(path)).status).toBe(404)
  expect(await list(world.other, other)).toHaveLength(1)
  expect(['webhook_attempts', 'webhook_hours', 'webhook_endpoints'].map(count)).toEqual([1, 1, 2])

  await (await admin()).delete(`/api/webhooks/${id}`)
  await (await admin(world.other)).delete(`/api/webhooks/${other}`)
  await after(1)
  // The other one still has a delivery.
  expect(world.rows('select state from webhook_deliveries')).toEqual([{ state: 'delivered' }])
  expect(count('webhook_endpoints')).toBe(1)
  await after(20)
  expect(['webhook_deliveries', 'webhook_endpoints', 'webhook_hours'].map(count)).toEqual([0, 0, 0])
})

test('erasing a contact erases what was sent about it, and what waits is not sent', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const input = { name: 'CRM', url: receiver.url, events: ['contact.created', 'contact.updated'] }
  const { id } = (await admin.post('/api/webhooks', input)).data
  receiver.reply = ({ text }) =>
    text.includes('contact.updated')
      ? new Response('no', { status: 500 })
      : new Response('+15556000003')
  const { data: contact } = await admin.post('/api/contacts', { phone_number: '+15556000003' })
  await admin.put(`/api/contacts/${contact['id']}`, { name: 'Mona Lisa' })
  await world.settle()
  const list = async (): Promise<Loose[]> =>
    (await (await world.as('admin')).get(`/api/webhooks/${id}/deliveries`)).data['items'] as Loose[]
  expect((await list()).map(({ state }) => state as string)).toEqual(['pending', 'delivered'])
  await admin.delete(`/api/contacts/${contact['id']}?purge=true`)
  await world.settle()
  world.clock.advance({ minutes: 10 })
  await world.settle()
  expect(receiver.received).toHaveLength(2)
  const left = await list()
  expect(left.map(({ state }) => state as string)).toEqual(['cancelled', 'delivered'])
  for (const one of left) {
    const { data } = await (await world.as('admin')).get(`/api/webhooks/deliveries/${one['id']}`)
    expect(data).toMatchObject({ payload: null, attempts: [{ response_excerpt: null }] })
  }
})

test('the answer to a request that was under way at the erasure is not kept', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const input = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
  await admin.post('/api/webhooks', input)
  const { data: contact } = await admin.post('/api/contacts', { phone_number: '+15556000004' })
  const answer = Promise.withResolvers<Response>()
  receiver.reply = () => answer.promise
  const settled = world.settle()
  await world.eventually(() => receiver.received.length === 1)
  await admin.delete(`/api/contacts/${contact['id']}?purge=true`)
  // A running server erases meanwhile; the jobs of this world wait for the request.
  changeRows(world.program.http.db.sqlite, 'delete from webhook_payloads')
  answer.resolve(new Response('Hello 15556000004', { headers: { location: '/15556000004' } }))
  await settled
  expect(
    world.rows('select status_code, response_headers, response_excerpt from webhook_attempts'),
  ).toEqual([{ status_code: 200, response_headers: null, response_excerpt: null }])
})

test('what was sent about a merged contact is moved and erased a batch at a time', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const input = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
  await admin.post('/api/webhooks', input)
  const [target, source] = await Promise.all(
    ['+15556000005', '+15556000006'].map(async (phone) => {
      const { data } = await admin.post('/api/contacts', { phone_number: phone })
      return String(data['id'])
    }),
  )
  await world.settle()
  const { sqlite } = world.program.http.db
  const [columns] = world.rows<{ names: string }>(
    "select group_concat(name) as names from pragma_table_info('webhook_payloads') where name <> 'id'",
  )
  for (let nth = 0; nth < 700; nth += 1)
    changeRows(
      sqlite,
      `insert into webhook_payloads (id, ${columns?.names}) select ?, ${columns?.names}
         from webhook_payloads where contact_id = ? limit 1`,
      [world.program.http.ids.next(), source ?? ''],
    )
  const sentAbout = (id = ''): unknown =>
    world.rows('select count(*) as n from webhook_payloads where contact_id = ?', id)[0]?.['n']
  expect(sentAbout(source)).toBe(701)
  await admin.post(`/api/contacts/${target}/merge`, { source_id: source })
  expect([sentAbout(source), sentAbout(target)]).toEqual([401, 301])
  await world.settle()
  expect(sentAbout(source)).toBe(0)
  // As if the batches were late.
  changeRows(sqlite, 'update webhook_payloads set contact_id = ? where body like ?', [
    source ?? '',
    '%15556000006%',
  ])
  expect(sentAbout(source)).toBe(701)
  expect((await admin.delete(`/api/contacts/${target}?purge=true`)).status).toBe(200)
  await world.settle()
  expect([sentAbout(source), sentAbout(target)]).toEqual([0, 0])
})
