import { expect, test } from 'bun:test'

import { personWith } from '../../../support/people'
import { Receiver, type Received } from '../../../support/receiver'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

const NUMBER = '15550004242'
const MAY = ['webhooks:read', 'webhooks:update', 'contacts:read_all']

/** An endpoint that got a message with the whole number, before the organization masks numbers. */
async function withHistory(events: string[], ordering = 'none') {
  const receiver = new Receiver()
  const elsewhere = new Receiver()
  const hosts = [receiver, elsewhere].map(({ url }) => new URL(url).host)
  const world = await World.create({ env: { EGRESS_ALLOW: hosts.join() } })
  const admin = await world.as('admin')
  const input = { name: 'CRM', url: receiver.url, events, ordering }
  const path = `/api/webhooks/${(await admin.post('/api/webhooks', input)).data['id']}`
  return {
    receiver,
    elsewhere,
    world,
    admin,
    path,
    mask: () => admin.put('/api/organizations/settings', { mask_phone_numbers: true }),
    says: async (text: string): Promise<void> => {
      await world.simulator.customer({ phone: world.tenant.phoneId, waId: NUMBER }).says(text)
      await world.settle()
    },
    delivery: async (): Promise<string> => {
      const [item] = (await admin.get(`${path}/deliveries`)).data['items'] as { id: string }[]
      return `/api/webhooks/deliveries/${item?.id}`
    },
    replay: { from: new Date(world.clock.nowMs() - 3_600_000).toISOString(), only_failed: false },
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
      await elsewhere[Symbol.asyncDispose]()
    },
  }
}

test('an endpoint that no longer gets whole numbers gets none of the past either', async () => {
  await using at = await withHistory(['message.received'], 'per_contact')
  await at.says('one')
  at.receiver.reply = () => new Response('', { status: 500 })
  await at.says('two')
  expect(at.receiver.received.every(({ text }) => text.includes(NUMBER))).toBe(true)
  await at.mask()
  const person = await personWith(at.world, [...MAY, 'messages:read'])
  const moved = { url: at.elsewhere.url, include_phone_numbers: false }
  expect((await person.client.put(at.path, moved)).status).toBe(200)
  at.world.clock.advance({ seconds: 6 })
  expect((await person.client.post(`${at.path}/replay`, at.replay)).status).toBe(201)
  expect((await person.client.post(`${await at.delivery()}/resend`)).status).toBe(201)
  await at.world.settle()
  const { received } = at.elsewhere
  expect(received).toHaveLength(3)
  expect(received.filter(({ text }) => text.includes(NUMBER))).toEqual([])
  const idOf = ({ body }: Received): unknown => body.data['contact_id']
  expect(new Set(received.map(idOf))).toEqual(new Set(at.receiver.received.map(idOf)))
})

test('a payload is shown with masked numbers, and with its other numbers and IDs', async () => {
  await using at = await withHistory(['message.received'])
  changeRows(at.world.program.http.db.sqlite, 'update event_heads set seq = 12345678')
  await at.says('one')
  await at.mask()
  const person = await personWith(at.world, [...MAY, 'messages:read'])
  const path = await at.delivery()
  const whole = (await at.admin.get(path)).data['payload']
  const { status, data } = await person.client.get(path)
  expect(status).toBe(200)
  expect(JSON.stringify(data)).not.toContain(NUMBER)
  const { id, seq, timestamp } = whole
  expect(seq).toBeGreaterThan(12_345_678)
  expect(data['payload']).toMatchObject({
    id,
    seq,
    timestamp,
    data: { id: whole['data']['id'], contact: { id: whole['data']['contact']['id'] } },
  })
})

test('a URL cannot be changed without the permissions for the events that were sent before', async () => {
  await using at = await withHistory(['message.received'])
  await at.says('one')
  const person = await personWith(at.world, [...MAY, 'contacts:read'])
  expect((await person.client.put(at.path, { events: ['contact.created'] })).status).toBe(200)
  const moved = await person.client.put(at.path, { url: at.elsewhere.url })
  expect([moved.status, moved.body.code]).toEqual([403, 'escalation'])
  expect(moved.body.message).toContain('messages:read')
  expect((await at.admin.put(at.path, { url: at.elsewhere.url })).status).toBe(200)
})
