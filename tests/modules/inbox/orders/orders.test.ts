import { describe, expect, test } from 'bun:test'

import { order } from '../../../../src/simulator/payloads'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { entriesOf } from '../../../support/privacy-export'
import { World } from '../../../support/world'

const ITEMS = [
  { product_retailer_id: 'sku-77', quantity: 2, item_price: 30, currency: 'USD' },
  { product_retailer_id: 'sku-78', quantity: 1, item_price: 9.5, currency: 'USD' },
]

const ordersOf = async (client: Client, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/orders${query}`)).data['items'] as Loose[]

async function ordered() {
  const world = await World.create()
  const manager = await world.as('manager')
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  await customer.orders(ITEMS)
  await world.settle()
  const [placed] = await ordersOf(manager)
  return {
    world,
    manager,
    customer,
    placed: placed as Loose,
    path: `/api/orders/${placed?.['id']}`,
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

describe('an order of a customer', () => {
  test('is an object with its products, beside the message that brought it', async () => {
    await using at = await ordered()
    const { placed } = at
    expect(placed).toMatchObject({
      state: 'new',
      catalog_id: '401000000000001',
      text: null,
      items: ITEMS,
      total: 69.5,
      currency: 'USD',
      timestamp: '2026-11-21T09:30:00.000Z',
    })
    const { data } = await at.manager.get(`/api/messages/${placed['message_id']}`)
    expect([data['type'], data['contact_id'], data['conversation_id']]).toEqual([
      'order',
      placed['contact_id'],
      placed['conversation_id'],
    ])
    expect((await at.manager.get(at.path)).data).toEqual(placed)
  })

  test('is stored once, however often it is delivered', async () => {
    await using at = await ordered()
    const webhook = order(ITEMS, {
      line: lineOf(at.world.tenant),
      person: personOf(3),
      timestamp: secondsIn(at.world),
      id: 'wamid.order',
    })
    await deliver(at.world, webhook)
    await deliver(at.world, { ...webhook, entry: [...webhook.entry, ...webhook.entry] })
    expect(await ordersOf(at.manager)).toHaveLength(2)
  })
})

describe('the state of an order', () => {
  test('goes from new to confirmed, shipped and completed, and sends nothing', async () => {
    await using at = await ordered()
    for (const state of ['confirmed', 'shipped', 'completed']) {
      at.world.clock.advance({ minutes: 1 })
      const { status, data } = await at.manager.put(at.path, { state })
      expect([status, data]).toEqual([
        200,
        { ...at.placed, state, updated_at: new Date(at.world.clock.nowMs()).toISOString() },
      ])
    }
    await at.world.settle()
    expect(at.customer.received()).toEqual([])
    expect((await at.manager.put(at.path, { state: 'cancelled' })).status).toBe(409)
    const log = await (await at.world.as('admin')).get('/api/audit-logs?resource_type=order')
    expect(log.data['items']).toMatchObject([
      { action: 'updated', changes: [{ old_value: 'shipped', new_value: 'completed' }] },
      { changes: [{ old_value: 'confirmed', new_value: 'shipped' }] },
      { changes: [{ old_value: 'new', new_value: 'confirmed' }] },
    ])
  })

  test('skips no step and never goes back', async () => {
    await using at = await ordered()
    for (const state of ['new', 'shipped', 'completed']) {
      const { status, body } = await at.manager.put(at.path, { state })
      expect([status, body]).toMatchObject([
        409,
        { code: 'invalid_state', details: { state: 'new' } },
      ])
    }
    expect((await at.manager.put(at.path, { state: 'lost' })).status).toBe(400)
    expect((await at.manager.put(at.path, { state: 'cancelled' })).data['state']).toBe('cancelled')
    for (const state of ['cancelled', 'new', 'confirmed'])
      expect((await at.manager.put(at.path, { state })).status).toBe(409)
  })

  test('is changed by one of several requests at the same moment', async () => {
    await using at = await ordered()
    const statuses = await Promise.all(
      Array.from(
        { length: 5 },
        async () => (await at.manager.put(at.path, { state: 'confirmed' })).status,
      ),
    )
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409])
  })
})

describe('GET /api/orders', () => {
  test('filters by contact, number, state and time, and pages', async () => {
    await using at = await ordered()
    at.world.clock.advance({ minutes: 10 })
    const other = at.world.simulator.customer({ phone: at.world.tenant.phoneId })
    await other.orders(ITEMS)
    await at.world.settle()
    await at.manager.put(at.path, { state: 'confirmed' })
    const statesOf = async (query: string) =>
      (await ordersOf(at.manager, query)).map(({ state }) => state as string)
    expect(await statesOf('')).toEqual(['new', 'confirmed'])
    expect(await statesOf('?state=new')).toEqual(['new'])
    expect(await statesOf(`?contact_id=${at.placed['contact_id']}`)).toEqual(['confirmed'])
    expect(await statesOf(`?account_id=${at.world.tenant.accountId}`)).toHaveLength(2)
    expect(await statesOf('?from=2026-11-21T09:35:00Z')).toEqual(['new'])
    expect(await statesOf('?to=2026-11-21T09:35:00Z')).toEqual(['confirmed'])
    expect(await statesOf('?from=2026-11-21T09:40:00Z')).toEqual(['new'])
    expect(await statesOf('?to=2026-11-21T09:40:00Z')).toEqual(['confirmed'])
    expect(await statesOf(`?account_id=${at.world.other.accountId}`)).toEqual([])
    const first = (await at.manager.get('/api/orders?limit=1')).data
    expect(first['total']).toBe(2)
    expect(await statesOf(`?limit=1&cursor=${first['next_cursor']}`)).toEqual(['confirmed'])
  })

  test('sorts by the time of the platform, also of what comes late', async () => {
    await using at = await ordered()
    const timestamp = secondsIn(at.world) - 3_600
    const line = lineOf(at.world.tenant)
    await deliver(
      at.world,
      order(ITEMS, { line, person: personOf(4), timestamp, id: 'wamid.late' }),
    )
    expect((await ordersOf(at.manager)).map((one) => one['timestamp'] as string)).toEqual([
      '2026-11-21T09:30:00.000Z',
      '2026-11-21T08:30:00.000Z',
    ])
    await at.manager.delete(`/api/contacts/${at.placed['contact_id']}`)
    expect((await at.manager.get(at.path)).status).toBe(404)
    expect(await ordersOf(at.manager)).toHaveLength(1)
  })

  test('shows a caller only orders of contacts it can see', async () => {
    await using at = await ordered()
    const agent = await at.world.as('agent')
    expect(await ordersOf(agent)).toEqual([])
    expect((await agent.get(at.path)).status).toBe(404)
    expect((await agent.put(at.path, { state: 'confirmed' })).status).toBe(404)
    await at.manager.put(`/api/contacts/${at.placed['contact_id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    expect(await ordersOf(agent)).toHaveLength(1)
    expect((await agent.put(at.path, { state: 'confirmed' })).status).toBe(200)
    const reader = await personWith(at.world, [
      'contacts:read',
      'contacts:read_all',
      'messages:read',
    ])
    expect((await reader.client.get(at.path)).status).toBe(200)
    expect((await reader.client.put(at.path, { state: 'shipped' })).status).toBe(403)
  })
})

test('order:updated tells those who see the contact that an order came in or changed', async () => {
  await using at = await ordered()
  const socket = await at.world.socket('manager')
  await at.customer.orders(ITEMS)
  await at.world.settle()
  await at.manager.put(at.path, { state: 'confirmed' })
  await at.world.settle()
  const frames = (await socket.caughtUp()).filter(({ type }) => type === 'order:updated')
  expect(frames.map(({ payload }) => [payload['state'], payload['changed']])).toEqual([
    ['new', ['state']],
    ['confirmed', ['state']],
  ])
  expect(frames[0]?.payload).toMatchObject({
    total: 69.5,
    contact: { phone_number: at.customer.waId },
  })
  expect(
    at.world
      .rows("select type from events where type like 'order.%' order by position")
      .map(({ type }) => type as string),
  ).toEqual(['order.created', 'order.created', 'order.updated'])
})

describe('orders of a contact', () => {
  test('move with their messages when contacts are merged, and back when that is undone', async () => {
    await using at = await ordered()
    at.world.clock.advance({ minutes: 1 })
    const other = at.world.simulator.customer({ phone: at.world.tenant.phoneId })
    await other.orders(ITEMS)
    await at.world.settle()
    const owners = async () =>
      (await ordersOf(at.manager)).map(({ contact_id }) => contact_id as string)
    const [second = '', first = ''] = await owners()
    const merged = await at.manager.post(`/api/contacts/${first}/merge`, { source_id: second })
    expect(await owners()).toEqual([first, first])
    await at.manager.post(`/api/contacts/merges/${merged.data['merge_id']}/undo`)
    expect(await owners()).toEqual([second, first])
  })

  test('are exported and erased with it', async () => {
    await using at = await ordered()
    const admin = await at.world.as('admin')
    const contactId = at.placed['contact_id'] as string
    const exported = await admin.post(`/api/contacts/${contactId}/privacy-export`)
    await at.world.settle()
    const entries = await entriesOf(at.world, admin, String(exported.data['id']))
    expect(JSON.parse(entries.get('orders.json') ?? '[]')).toMatchObject([
      { id: at.placed['id'], items: ITEMS },
    ])
    const erased = await admin.post(`/api/contacts/${contactId}/erase`, { confirm: contactId })
    await at.world.settle()
    const { data } = await admin.get(`/api/privacy/requests/${erased.data['id']}`)
    expect((data['receipt'] as Loose)['counts']).toMatchObject({ orders: 1, messages: 1 })
    expect(at.world.rows('select id from orders')).toEqual([])
  })
})
