import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

/** A world with an endpoint that keeps the order of contacts. */
async function withEndpoint(input: Loose = {}) {
  const receiver = new Receiver()
  const world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const { status, data } = await (
    await world.as('admin')
  ).post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['message.received'],
    ordering: 'per_contact',
    ...input,
  })
  expect(status).toBe(201)
  return {
    receiver,
    world,
    texts: (): unknown[] =>
      receiver.received.map(({ body }) => (body.data['content'] as Loose)['text']),
    admin: () => world.as('admin'),
    id: String(data['id']),
    after: async (time: { hours?: number; minutes?: number; seconds?: number }): Promise<void> => {
      world.clock.advance(time)
      await world.settle()
    },
    endpoint: async (): Promise<Loose> =>
      (await (await world.as('admin')).get(`/api/webhooks/${String(data['id'])}`)).data,
    says: async (texts: string[], waId = '15550001111'): Promise<void> => {
      const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId })
      for (const text of texts) await customer.says(text)
      await world.settle()
    },
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const refused = (): Response => new Response('no', { status: 400 })

test('a delivery that fails holds back later ones of its contact until it succeeds', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = ({ text }) => (text.includes('"one"') ? refused() : new Response(''))
  await at.says(['one', 'two', 'three'])
  await at.says(['other'], '15550002222')
  expect(at.texts()).toEqual(['one', 'other'])
  await at.after({ seconds: 6 })
  at.receiver.reply = () => new Response('')
  await at.after({ minutes: 4 })
  expect(at.texts()).toEqual(['one', 'other', 'one'])
  await at.after({ minutes: 2 })
  expect(at.texts()).toEqual(['one', 'other', 'one', 'one', 'two', 'three'])
})

test('later deliveries of its contact pass it after half an hour, not before', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = ({ text }) => (text.includes('"bad"') ? refused() : new Response(''))
  await at.says(['bad', 'two', 'three'])
  await at.after({ seconds: 6 })
  await at.after({ minutes: 6 })
  await at.after({ minutes: 23, seconds: 30 })
  expect(at.texts()).toEqual(['bad', 'bad', 'bad'])
  await at.after({ minutes: 1 })
  expect(at.texts()).toEqual(['bad', 'bad', 'bad', 'two', 'three'])
  await at.after({ minutes: 10 })
  expect(at.texts().at(-1)).toBe('bad')
})

test('hundreds that wait for their contact do not keep other contacts waiting', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = ({ text }) => (text.includes('"bad"') ? refused() : new Response(''))
  await at.says(['bad', ...Array.from({ length: 600 }, (_, nth) => `No ${nth}`)])
  await at.says(['other'], '15550002222')
  expect(at.texts()).toEqual(['bad', 'other'])
})

test('an endpoint with few events is probed soon after it went down, in order', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = () => new Response('', { status: 500 })
  await at.says(['one', 'two', 'three'])
  for (let minutes = 0; minutes < 240; minutes += 1) {
    if ((await at.endpoint())['state'] === 'down') break
    await at.after({ minutes: 1 })
  }
  expect((await at.endpoint())['state']).toBe('down')
  const before = at.receiver.received.length
  at.receiver.reply = () => new Response('')
  await at.after({ seconds: 31 })
  expect(at.texts().slice(before)).toEqual(['one', 'two', 'three'])
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
})

test('the first probe comes after 30 seconds, whatever was under way when it went down', async () => {
  await using at = await withEndpoint({ ordering: 'none', concurrency: 32 })
  at.receiver.reply = () => new Response('', { status: 500 })
  for (let nth = 0; nth < 24; nth += 1) await at.says(['Hello'], `1555000${2000 + nth}`)
  await at.after({ seconds: 6 })
  expect((await at.endpoint())['state']).toBe('down')
  const probes: number[] = []
  for (const seconds of [31, 30, 31, 60, 61]) {
    const before = at.receiver.received.length
    await at.after({ seconds })
    probes.push(at.receiver.received.length - before)
  }
  expect(probes).toEqual([1, 0, 1, 0, 1])
})

test('a test that succeeds ends an outage: everything that waits is sent', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = () => new Response('', { status: 500 })
  for (let nth = 0; nth < 12; nth += 1) await at.says(['Hello'], `1555000${2000 + nth}`)
  const about = await at.endpoint()
  expect(about['state']).toBe('down')
  const list = `/api/webhooks/${at.id}/deliveries?state=held`
  const held = (await (await at.admin()).get(list)).data['items'] as Loose[]
  const probeMs = at.world.clock.nowMs() + 30_000
  expect(held.map((one) => one['next_attempt_at'])).toEqual(
    held.map(() => new Date(probeMs).toISOString()),
  )
  at.receiver.reply = () => new Response('')
  await (await at.admin()).post(`/api/webhooks/${at.id}/test`, {})
  await at.world.settle()
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
})

test('what waits for a contact keeps its order when the contact is merged into another one', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = ({ text }) => (text.includes('"bad"') ? refused() : new Response(''))
  const newest = async (): Promise<string> => {
    const list = '/api/contacts?sort=created_at&order=desc&limit=1'
    return String(((await (await at.admin()).get(list)).data['items'] as Loose[])[0]?.['id'])
  }
  await at.says(['zero'], '15550002222')
  const target = await newest()
  await at.says(['bad', 'two'])
  const merge = { source_id: await newest() }
  const merged = await (await at.admin()).post(`/api/contacts/${target}/merge`, merge)
  expect(merged.status).toBe(200)
  await at.says(['three'], '15550002222')
  expect(at.texts()).toEqual(['zero', 'bad'])
  await at.after({ seconds: 6 })
  await at.after({ minutes: 6 })
  await at.after({ minutes: 23, seconds: 30 })
  expect(at.texts()).toEqual(['zero', 'bad', 'bad', 'bad'])
  await at.after({ minutes: 1 })
  expect(at.texts()).toEqual(['zero', 'bad', 'bad', 'bad', 'two', 'three'])
})

test('more events than are read at once are all delivered, without another one', async () => {
  await using at = await withEndpoint({ events: ['contact.created'], ordering: 'none' })
  const admin = await at.admin()
  for (let nth = 0; nth < 150; nth += 1)
    await admin.post('/api/contacts', { phone_number: `+1555000${3000 + nth}` })
  const { loop } = at.world.program.webhookReader
  const made = (): number =>
    at.world.rows<{ n: number }>('select count(*) as n from webhook_deliveries')[0]?.n ?? 0
  expect(made()).toBe(0)
  loop.start()
  await at.world.eventually(() => made() === 150)
  loop.stop()
})
