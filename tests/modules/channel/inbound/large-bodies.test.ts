import { afterEach, expect, spyOn, test } from 'bun:test'

import * as packing from '../../../../src/platform/webhook/pack-body'
import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const NUMBER = '4915112345678'
const CHANGES = 330

afterEach(() => spyOn(packing, 'unpackBody').mockRestore())

/** A delivery of many changes in two entries, every third one of the same person. */
function large(world: World) {
  const metadata = { phone_number_id: world.tenant.phoneId, display_phone_number: '15550100001' }
  const changes = Array.from({ length: CHANGES }, (_none, nth) => {
    const from = nth % 3 === 0 ? NUMBER : `1555${String(7_000_000 + nth)}`
    const messages = [
      {
        from,
        id: `wamid.large-${nth}`,
        timestamp: '1790000000',
        type: 'text',
        text: { body: `flumoxia ${nth}` },
      },
    ]
    return { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages } }
  })
  const entry = [changes.slice(0, 70), [], changes.slice(70)].map((some) => ({
    id: world.tenant.wabaId,
    time: 1_790_000_000,
    changes: some,
  }))
  return { object: 'whatsapp_business_account', entry }
}

/** How often bodies were unpacked while something was done. */
async function opened(work: () => Promise<unknown>): Promise<number> {
  const unpack = spyOn(packing, 'unpackBody')
  await work()
  const { length } = unpack.mock.calls
  unpack.mockRestore()
  return length
}

test('stores a large delivery in parts without loss and unpacks each part once', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('the journal of webhooks')
  const body = large(world)
  await world.simulator.post(body)
  await world.settle()
  expect(world.rows('select state, count(*) as n from inbound_events group by state')).toEqual([
    { state: 'done', n: CHANGES },
  ])
  const rows = world.rows<{ n: number }>(
    'select count(*) as n from inbound_events group by body_id',
  )
  expect([rows.length, Math.max(...rows.map(({ n }) => n))]).toEqual([7, 50])
  const texts = world
    .rows<{ content: string }>('select content from messages')
    .map(({ content }) => (JSON.parse(content) as Loose)['text'] as string)
  expect(texts.toSorted()).toEqual(
    Array.from({ length: CHANGES }, (_none, nth) => `flumoxia ${nth}`).toSorted(),
  )
  // The same delivery once more is the same.
  await world.simulator.post(body)
  await world.settle()
  expect(world.rows('select count(*) as n from inbound_bodies')).toEqual([{ n: 7 }])
  const root = await world.as('super')
  const { data: shown } = await root.get('/api/inbound/events?limit=100')
  expect(new Set((shown['items'] as Loose[]).map(({ digest }) => digest as string)).size).toBe(1)

  const admin = await world.as('admin')
  const people = (await admin.get(`/api/contacts?search=${NUMBER}`)).data['items'] as Loose[]
  const path = `/api/contacts/${people[0]?.['id']}`
  const exporting = await opened(async () => {
    await admin.post(`${path}/privacy-export`)
    await world.settle()
  })
  const replaying = await opened(async () => {
    expect((await root.post('/api/inbound/replay', { state: 'done' })).data).toEqual({
      queued: CHANGES,
    })
    await world.settle()
  })
  const erasing = await opened(async () => {
    await admin.post(`${path}/erase`, { confirm: people[0]?.['id'] })
    await world.settle()
  })
  expect([exporting, erasing]).toEqual([7, 7])
  expect(replaying).toBeLessThanOrEqual(7)
  const [request] = (await admin.get('/api/privacy/requests?kind=erase')).data['items'] as Loose[]
  expect(request).toMatchObject({
    state: 'completed',
    receipt: { counts: { deliveries: CHANGES / 3, messages: CHANGES / 3 } },
  })
  const raw = await Promise.all(
    world
      .rows<{ id: string }>('select id from inbound_events')
      .map(async ({ id }) => (await root.get(`/api/inbound/events/${id}?include=raw`)).data['raw']),
  )
  expect(JSON.stringify(raw)).not.toContain(NUMBER)
  expect(JSON.stringify(raw).match(/flumoxia/g)?.length).toBe((CHANGES / 3) * 2)
})
