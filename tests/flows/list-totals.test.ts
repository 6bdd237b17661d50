import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Customer } from '../../src/simulator/customers'
import type { Client, Loose } from '../support/client'
import { CampaignFixture } from '../support/campaigns'
import { publishedFlow } from '../support/flows'
import { personWith } from '../support/people'
import { changeRows, readRows } from '../support/sql'
import { TAKES_TRANSFERS } from '../support/transfers'
import type { Tenant } from '../support/world'

const ITEMS = [{ product_retailer_id: 'sku-77', quantity: 1, item_price: 30, currency: 'USD' }]

const CUSTOMERS = 3

let fixture: CampaignFixture
let admin: Client
let ids: { campaign: string; flow: string; endpoint: string; contacts: string[] }

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  const { world } = fixture
  admin = await world.as('admin')
  const endpoints = []
  for (const events of [['order.created', 'message.received'], ['order.created']])
    endpoints.push(
      await admin.post('/api/webhooks', {
        ...{ name: 'CRM', url: 'https://receiver.invalid/hook', events },
      }),
    )
  await shop(world.other)
  const customers = await shop(world.tenant)
  const contacts = (await admin.get('/api/contacts')).data['items'] as Loose[]
  const idOf = (one: Customer): string =>
    String(contacts.find((contact) => contact['wa_id'] === one.waId)?.['id'])
  const [order] = (await admin.get('/api/orders')).data['items'] as Loose[]
  await admin.put(`/api/orders/${order?.['id']}`, { state: 'confirmed' })
  const flow = String((await publishedFlow(world, admin))['id'])
  for (const [nth, one] of customers.entries()) await answer(one, idOf(one), { flow, nth })
  const campaign = await fixture.draft()
  for (const id of [campaign, await fixture.draft()])
    await fixture.do(id, 'recipients/import', {
      recipients: ['15550200001', '15550200002', '15550300003'].map((phone_number) => ({
        phone_number,
      })),
    })
  ids = {
    ...{ campaign, flow, contacts: customers.map(idOf) },
    endpoint: String(endpoints[0]?.data['id']),
  }
  await write(world.other, [0, 1])
  await write(world.tenant, [0, 0, 1])
})

afterAll(() => fixture.world.stop())

/** Customers of a tenant who order and call; one call is answered. */
async function shop(tenant: Tenant): Promise<Customer[]> {
  const { world } = fixture
  const customers = Array.from({ length: CUSTOMERS }, () =>
    world.simulator.customer({ phone: tenant.phoneId }),
  )
  for (const [nth, one] of customers.entries()) {
    await one.orders(ITEMS)
    await (await one.calls()).ends(nth === 0 ? 7 : 0)
  }
  await world.settle()
  return customers
}

/** A customer completes a Flow. */
async function answer(
  one: Customer,
  contact: string,
  { flow, nth }: { flow: string; nth: number },
) {
  const { world } = fixture
  await one.says('Hello!')
  await world.settle()
  const interactive = { type: 'flow', body: 'How was it?', button_text: 'Tell us', flow_id: flow }
  const path = `/api/contacts/${contact}/messages`
  const sent = await admin.post(path, { type: 'interactive', interactive })
  await world.settle()
  const { flow_token } = (await admin.get(`/api/messages/${sent.data['id']}`)).data[
    'content'
  ] as Loose
  await one.completesFlow({ flow_token, words: nth === 0 ? 'Bad' : 'Good' })
  await world.settle()
}

/** Leaves texts to contacts in the send queue. */
async function write(tenant: Tenant, to: number[]): Promise<void> {
  const client = await fixture.world.as('admin', tenant)
  const contacts = (await client.get('/api/contacts?sort=created_at&order=asc')).data[
    'items'
  ] as Loose[]
  for (const nth of to)
    await client.post(`/api/contacts/${contacts[nth]?.['id']}/messages`, {
      ...{ type: 'text', text: 'Hi' },
    })
}

const LISTS: [name: string, pathOf: () => string][] = [
  ['orders', () => '/api/orders?'],
  ['orders of a state', () => '/api/orders?state=new'],
  ['calls', () => '/api/calls?'],
  ['calls of a state', () => '/api/calls?state=missed'],
  ['the send queue', () => '/api/outbox?'],
  ['the send queue of a contact', () => `/api/outbox?contact_id=${ids.contacts[0]}`],
  ['recipients', () => `/api/campaigns/${ids.campaign}/recipients?`],
  ['recipients of a number', () => `/api/campaigns/${ids.campaign}/recipients?search=1555020`],
  ['responses', () => `/api/flows/${ids.flow}/responses?`],
  ['responses with a word', () => `/api/flows/${ids.flow}/responses?search=good`],
  ['received changes', () => '/api/inbound/events?'],
  ['received changes of a field', () => '/api/inbound/events?field=calls'],
  ['jobs', () => '/api/jobs?'],
  ['jobs of a state', () => '/api/jobs?state=available'],
  ['deliveries', () => `/api/webhooks/${ids.endpoint}/deliveries?`],
  ['deliveries of an event', () => `/api/webhooks/${ids.endpoint}/deliveries?event=order.created`],
]

const totalsOf = async (client: Client, path: string): Promise<unknown[]> => {
  const all = (await client.get(`${path}&limit=100`)).data
  const items = all['items'] as unknown[]
  expect(items.length).toBeLessThan(100)
  const { data } = await client.get(`${path}&limit=1`)
  return [items.length, data['total']]
}

/** A list, a few rows at a time. */
async function byCursor(path: string): Promise<unknown[]> {
  const found: unknown[] = []
  for (let cursor = ''; found.length < 100;) {
    const { data } = await admin.get(`${path}&limit=2${cursor}`)
    found.push(...(data['items'] as unknown[]))
    if (data['next_cursor'] === null) break
    cursor = `&cursor=${String(data['next_cursor'])}`
  }
  return found
}

test.each(LISTS)(
  'the total of %s is the number of its rows, whatever the page',
  async (_, pathOf) => {
    const [rows, total] = await totalsOf(admin, pathOf())
    expect(rows).toBeGreaterThan(1) // one is not counted: it is the end of its page
    expect(total).toBe(rows)
    expect(await byCursor(pathOf())).toEqual(
      (await admin.get(`${pathOf()}&limit=100`)).data['items'],
    )
  },
)

test('a filter leaves something out, and the totals of an agent leave out contacts of others', async () => {
  for (const [index, [name, pathOf]] of LISTS.entries()) {
    if (index % 2 === 0) continue
    const [rows] = await totalsOf(admin, pathOf())
    const [whole] = await totalsOf(admin, LISTS[index - 1]?.[1]() ?? '')
    expect([name, Number(rows) < Number(whole)]).toEqual([name, true])
  }
  const person = await personWith(fixture.world, [
    ...(['contacts:read', 'messages:read', 'jobs:read', 'flows:read', 'campaigns:read'] as const),
  ])
  for (const id of ids.contacts.slice(0, 2))
    await admin.put(`/api/contacts/${id}/assign`, { user_id: person.userId })
  for (const [path, rows] of [
    ['/api/orders?', 2],
    ['/api/calls?', 2],
    ['/api/outbox?', 3],
    [`/api/flows/${ids.flow}/responses?`, 2],
    [`/api/campaigns/${ids.campaign}/recipients?`, 3], // no contacts yet
  ] as const)
    expect([path, ...(await totalsOf(person.client, path))]).toEqual([path, rows, rows])
  await admin.delete(`/api/contacts/${ids.contacts[0]}`)
  for (const path of ['/api/orders?', '/api/calls?'])
    expect([path, ...(await totalsOf(admin, path))]).toEqual([path, 2, 2])
})

test('what a transfer hides from its agent is in no list and no file', async () => {
  const { world } = fixture
  const person = await personWith(world, [...TAKES_TRANSFERS, 'flows:read'])
  world.clock.advance({ minutes: 1 })
  const transfer = await admin.post('/api/chatbot/transfers', {
    ...{ contact_id: ids.contacts[2], account_id: world.tenant.accountId },
    agent_id: person.userId,
  })
  expect(transfer.status).toBe(201)
  const responses = `/api/flows/${ids.flow}/responses?`
  const seen = async (): Promise<unknown[]> => [
    ...(await totalsOf(person.client, '/api/orders?')),
    ...(await totalsOf(person.client, '/api/calls?')),
    ...(await totalsOf(person.client, responses)),
    (await linesOf(`${responses}format=csv`, person.client)).length,
  ]
  expect(await seen()).toEqual([1, 1, 1, 1, 1, 1, 1])
  await admin.put('/api/chatbot/settings', { agent_current_conversation_only: true })
  expect(await seen()).toEqual([0, 0, 0, 0, 0, 0, 0])
})

/** Stores copies of a row, each with an ID of its own and some other values. */
function copy(
  table: string,
  { rows, where, other }: { rows: number; where: string; other: Loose },
) {
  const { sqlite } = fixture.world.program.http.db
  const values = readRows<{ name: string }>(
    sqlite,
    `select name from pragma_table_info('${table}')`,
  )
    .map(({ name }) => name)
    .map((name) => [name, { id: "unhex(printf('%032x', n))", row: 'null', ...other }[name] ?? name])
  changeRows(
    sqlite,
    `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < ${rows})
     insert into ${table} (${values.map(([name]) => name).join()})
     select ${values.map(([, value]) => value).join()} from nth, (select * from ${table} where ${where} limit 1)`,
  )
}

/** The lines of a file without its headings, which are there once. */
async function linesOf(path: string, client = admin): Promise<string[]> {
  const response = await fetch(fixture.world.url + path, { headers: client.headers })
  const [head, ...lines] = (await response.text()).trim().split('\r\n')
  expect(lines).not.toContain(head?.replace('\uFEFF', ''))
  expect(new Set(lines).size).toBe(lines.length)
  return lines
}

test('a file of many recipients has all of them, and their total with a filter ends at 10,000', async () => {
  const path = `/api/campaigns/${ids.campaign}`
  copy('campaign_recipients', {
    rows: 9_999,
    where: `campaign_id = '${ids.campaign}'`,
    other: { identity: "'p:' || n", phone_number: '15551000000 + n', words: "'15550200000'" },
  })
  const totalOf = async (query: string): Promise<unknown> =>
    (await admin.get(`${path}/recipients?limit=1${query}`)).data['total']
  expect(await linesOf(`${path}/export`)).toHaveLength(10_002)
  expect([await totalOf(''), await totalOf('&search=1555020')]).toEqual([10_002, null])
  expect(await totalOf('&search=15550300003')).toBe(1)
})

test('a file of many responses has all of them, with its headings once', async () => {
  const where = `id in (select message_id from flow_responses where flow_id = '${ids.flow}')`
  copy('messages', { rows: 500, where, other: { wa_message_id: "'copy-' || n" } })
  copy('flow_responses', {
    rows: 500,
    where: `flow_id = '${ids.flow}'`,
    other: { message_id: "unhex(printf('%032x', n))", token: 'null' },
  })
  const rows = Number((await admin.get(`/api/flows/${ids.flow}/responses?limit=1`)).data['total'])
  expect(rows).toBeGreaterThan(500)
  expect(await linesOf(`/api/flows/${ids.flow}/responses?format=csv`)).toHaveLength(rows)
})
