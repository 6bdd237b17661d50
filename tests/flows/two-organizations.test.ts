import { expect, test } from 'bun:test'

import { envelope, message, combine } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, statusTo, textTo } from '../support/lines'
import { World, type Person, type Tenant } from '../support/world'

const PEOPLE: Person[] = ['admin', 'manager']

/** Ids of everything the first organization has after one message and one answer. */
async function firstOrganizationsRows(world: World): Promise<Loose> {
  const contact = await world.contactOf(world.tenant, 'A secret of Acme', '15550300001')
  const manager = await world.as('manager')
  const { data: message } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Another secret of Acme',
  })
  await world.settle()
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  const [event] = (await (await world.as('admin')).get('/api/inbound/events')).data[
    'items'
  ] as Loose[]
  return {
    contact: contact['id'],
    message: message['id'],
    conversation: conversation?.['id'],
    event: event?.['id'],
  }
}

test('no list shows data of another organization', async () => {
  await using world = await World.create()
  await firstOrganizationsRows(world)
  for (const person of PEOPLE) {
    const stranger = await world.as(person, world.other)
    for (const path of [
      '/api/contacts',
      '/api/conversations',
      '/api/contacts?search=15550300001',
      '/api/contacts?search=Ana',
    ]) {
      const { data } = await stranger.get(path)
      expect({ path, items: data['items'], total: data['total'] }).toEqual({
        path,
        items: [],
        total: 0,
      })
    }
  }
  const admin = await world.as('admin', world.other)
  expect((await admin.get('/api/inbound/events')).data['items']).toEqual([])
  expect((await admin.get('/api/accounts')).data['total']).toBe(1)
})

test('no ID of another organization can be read or changed', async () => {
  await using world = await World.create()
  const ids = await firstOrganizationsRows(world)
  const own = await world.as('admin')
  const stranger = await world.as('admin', world.other)
  const reads = [
    `/api/contacts/${ids['contact']}`,
    `/api/contacts/${ids['contact']}/messages`,
    `/api/messages/${ids['message']}`,
    `/api/conversations/${ids['conversation']}`,
    `/api/accounts/${world.tenant.accountId}`,
    `/api/inbound/events/${ids['event']}`,
  ]
  for (const path of reads) {
    expect({ path, status: (await own.get(path)).status }).toEqual({ path, status: 200 })
    const answer = await stranger.get(path)
    expect({ path, status: answer.status }).toEqual({ path, status: 404 })
    expect(JSON.stringify(answer.body)).not.toContain('Acme')
  }
  const text = { type: 'text', text: 'Hello from Bolt' }
  const acts = [
    stranger.post(`/api/contacts/${ids['contact']}/messages`, text),
    stranger.put(`/api/contacts/${ids['contact']}/assign`, { user_id: world.other.userIds.agent }),
    stranger.put(`/api/accounts/${world.tenant.accountId}`, { name: 'Stolen' }),
    stranger.delete(`/api/accounts/${world.tenant.accountId}`),
    stranger.post(`/api/inbound/events/${ids['event']}/replay`),
  ]
  for (const answer of await Promise.all(acts)) expect(answer.status).toBe(404)
  await world.settle()
  expect((await own.get(`/api/accounts/${world.tenant.accountId}`)).data['name']).toBe('Acme main')
  expect((await own.get(`/api/contacts/${ids['contact']}/messages`)).data['total']).toBe(2)
})

test('IDs of another organization in a body are rejected', async () => {
  await using world = await World.create()
  const ids = await firstOrganizationsRows(world)
  const contact = await world.contactOf(world.other, 'Hello Bolt')
  const manager = await world.as('manager', world.other)
  const url = `/api/contacts/${contact['id']}/messages`
  const foreignAccount = await manager.post(url, {
    type: 'text',
    text: 'Hi',
    account_id: world.tenant.accountId,
  })
  expect(foreignAccount.status).toBe(400)
  expect(foreignAccount.body.errors?.[0]?.path).toBe('body.account_id')
  const foreignReply = await manager.post(url, {
    type: 'text',
    text: 'Hi',
    reply_to: ids['message'],
  })
  expect(foreignReply.status).toBe(400)
  expect(foreignReply.body.errors?.[0]?.path).toBe('body.reply_to')
  const foreignMember = await manager.put(`/api/contacts/${contact['id']}/assign`, {
    user_id: world.tenant.userIds.agent,
  })
  expect(foreignMember.body.code).toBe('not_a_member')
  await world.settle()
  expect((await manager.get(url)).data['total']).toBe(1)
})

test('sockets receive only events of their own organization', async () => {
  await using world = await World.create()
  const [own, stranger] = await Promise.all([
    world.socket('manager'),
    world.socket('manager', world.other),
  ])
  const contact = await world.contactOf(world.tenant, 'Only for Acme')
  const manager = await world.as('manager')
  await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'From Acme' })
  await world.settle()
  expect((await own.caughtUp()).length).toBeGreaterThan(2)
  expect(await stranger.caughtUp()).toEqual([])
  await world.contactOf(world.other, 'Only for Bolt')
  const heardBefore = own.events().length
  expect((await stranger.caughtUp()).map(({ type }) => type)).toEqual([
    'contact:new',
    'message:new',
    'conversation:updated',
  ])
  expect((await own.caughtUp()).length).toBe(heardBefore)
})

test('a customer of two organizations is a separate contact in each', async () => {
  await using world = await World.create()
  const person = personOf(7)
  for (const tenant of world.tenants) {
    const said = message(
      { type: 'text', text: { body: `Hello ${tenant.name}` } },
      { line: lineOf(tenant), person, timestamp: secondsIn(world), id: 'wamid.same' },
    )
    await deliver(world, said)
  }
  const seen = await Promise.all(
    world.tenants.map(
      async (tenant) =>
        (await (await world.as('manager', tenant)).get('/api/contacts')).data['items'] as Loose[],
    ),
  )
  expect(seen.map((items) => items.map((item) => item['last_message_preview']))).toEqual([
    ['Hello Acme'],
    ['Hello Bolt'],
  ])
  expect(seen[0]?.[0]?.['id']).not.toBe(seen[1]?.[0]?.['id'])
})

test("a status sent for another organization's number changes nothing", async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  world.simulator.swallowStatuses()
  const { data } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
  })
  await world.settle()
  const before = (await manager.get(`/api/messages/${data['id']}`)).data
  const line = lineOf(world.other)
  await deliver(
    world,
    statusTo(world, String(before['wa_message_id']), 'read', {
      line,
      facts: { callbackData: String(data['id']) },
    }),
  )
  expect((await manager.get(`/api/messages/${data['id']}`)).data).toEqual(before)
  await deliver(world, statusTo(world, String(before['wa_message_id']), 'read'))
  expect((await manager.get(`/api/messages/${data['id']}`)).data['status']).toBe('read')
})

test("a reply sent to another organization's number reveals nothing of the quoted message", async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'A secret of Acme', { id: 'wamid.secret' }))
  const said = textTo(world, 'What was that?', {
    line: lineOf(world.other),
    context: { from: '1', id: 'wamid.secret' },
  })
  await deliver(world, said)
  const manager = await world.as('manager', world.other)
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const [reply] = (await manager.get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
  expect(reply).toMatchObject({ reply_to: null, context: { wa_message_id: 'wamid.secret' } })
})

test('a body for two organizations signed with one secret applies to that organization only', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  await admin.put(`/api/accounts/${world.tenant.accountId}`, { app_secret: 'the-secret-of-acme' })
  const body = combine(
    textTo(world, 'For Acme'),
    textTo(world, 'For Bolt', { line: lineOf(world.other) }),
  )
  const posted = await world.simulator.post(body, { secret: 'the-secret-of-acme' })
  expect(posted.status).toBe(200)
  await world.settle()
  expect((await admin.get('/api/contacts')).data['total']).toBe(1)
  const other = await world.as('admin', world.other)
  expect((await other.get('/api/contacts')).data['total']).toBe(0)
  const boss = await world.as('super')
  const events = (await boss.get('/api/inbound/events?state=ignored')).data['items'] as Loose[]
  expect(events).toMatchObject([
    { reason: 'not_signed_for', phone_number_id: world.other.phoneId, account_id: null },
  ])

  expect((await world.simulator.post(body)).status).toBe(200)
  await world.settle()
  expect((await other.get('/api/contacts')).data['total']).toBe(1)
  expect((await admin.get('/api/contacts')).data['items']).toMatchObject([{ unread_count: 1 }])
})

test("an organization's own secret cannot sign a change without a phone number", async () => {
  await using world = await World.create({ isConnected: false })
  await world.connect(world.tenant)
  world.simulator.addPhone({
    id: '301000000000077',
    wabaId: world.tenant.wabaId,
    token: 'token-of-bolt',
  })
  const bolt = await world.as('admin', world.other)
  const claimed = {
    name: 'Claim',
    phone_id: '301000000000077',
    business_id: world.tenant.wabaId,
    access_token: 'token-of-bolt',
    app_secret: 'the-secret-of-bolt',
  }
  expect((await bolt.post('/api/accounts', claimed)).status).toBe(201)
  const forged = textTo(world, 'Forged')
  delete forged.entry[0]?.changes[0]?.value['metadata']
  await world.simulator.post(forged, { secret: 'the-secret-of-bolt' })
  await world.settle()
  for (const tenant of world.tenants)
    expect((await (await world.as('admin', tenant)).get('/api/contacts')).data['total']).toBe(0)
})

test('changes of marketing preferences reach the organization of each phone number only', async () => {
  await using world = await World.create()
  const wish = (nth: number, tenant?: Tenant) => ({
    wa_id: personOf(nth).waId,
    category: 'marketing_messages',
    value: 'stop',
    timestamp: secondsIn(world),
    ...(tenant ? { metadata: { phone_number_id: tenant.phoneId } } : {}),
  })
  const { metadata: _none, ...value } = {
    metadata: null,
    user_preferences: [wish(1, world.tenant), wish(2, world.other), wish(3, world.tenant)],
  }
  await deliver(world, envelope(value, { line: lineOf(world.tenant), field: 'user_preferences' }))
  const numbersOf = async (tenant: Tenant): Promise<unknown[]> =>
    (
      (
        await (
          await world.as('admin', tenant)
        ).get('/api/contacts?consent=opted_out&sort=name&order=asc')
      ).data['items'] as Loose[]
    ).map(({ phone_number }) => phone_number as unknown)
  expect(await numbersOf(world.tenant)).toEqual([personOf(1).waId, personOf(3).waId])
  expect(await numbersOf(world.other)).toEqual([personOf(2).waId])
  const [event] = (await (await world.as('admin', world.other)).get('/api/inbound/events')).data[
    'items'
  ] as Loose[]
  const { outcomes } = (
    await (await world.as('admin', world.other)).get(`/api/inbound/events/${event?.['id']}`)
  ).data
  expect(outcomes).toMatchObject([
    { index: 0, outcome: 'no_effect', reason: 'other_number' },
    { index: 2 },
  ])
})
