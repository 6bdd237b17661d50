import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CampaignFixture } from '../support/campaigns'
import type { Client, Loose } from '../support/client'
import { publishedFlow } from '../support/flows'
import { personWith } from '../support/people'
import type { World } from '../support/world'

const NUMBER = '15550107788'
/** What the customer is called: the number as the name, which is masked, too. */
const NAME = '+15550107788'
/** Lists that name a contact; that of the responses to a form has its ID. */
const LISTS = ['/api/orders', '/api/calls', '/api/scheduled-messages']
const RIGHTS = [
  ...['contacts:read', 'contacts:read_all', 'contacts:delete', 'messages:read', 'flows:read'],
]

let fixture: CampaignFixture
let world: World
let admin: Client
let contactId: string
let campaignId: string

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  world = fixture.world
  admin = await world.as('admin')
  const customer = world.simulator.customer({
    ...{ waId: NUMBER, name: NAME, phone: world.tenant.phoneId },
  })
  await customer.orders([
    { product_retailer_id: 'sku-1', quantity: 2, item_price: 4.5, currency: 'EUR' },
  ])
  await customer.calls()
  await world.settle()
  const { data } = await admin.get('/api/contacts')
  contactId = String((data['items'] as Loose[])[0]?.['id'])
  await admin.post('/api/scheduled-messages', {
    contact_id: contactId,
    message: { type: 'text', text: 'Good morning' },
    send_at: new Date(world.clock.nowMs() + 5 * 86_400_000).toISOString(),
  })
  const form = await publishedFlow(world, admin)
  const sent = await admin.post(`/api/contacts/${contactId}/messages`, {
    type: 'interactive',
    interactive: { type: 'flow', body: 'How?', button_text: 'Tell', flow_id: form['id'] },
  })
  await world.settle()
  const { data: message } = await admin.get(`/api/messages/${sent.data['id']}`)
  await customer.completesFlow({ words: 'Fine' }, { replyTo: String(message['wa_message_id']) })
  await world.settle()
  LISTS.push(`/api/flows/${form['id']}/responses`)
  campaignId = await fixture.draftFor([NUMBER])
  await fixture.do(campaignId, 'start')
  await fixture.run(campaignId)
})

afterAll(() => world.stop())

const itemsOf = async (client: Client, path: string): Promise<Loose[]> =>
  (await client.get(path)).data['items'] as Loose[]

test('orders, calls, scheduled messages and responses say whose they are, masked as for the caller', async () => {
  await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
  const { client: blind } = await personWith(world, [...RIGHTS, 'messages:create'])
  for (const path of LISTS) {
    const [clear] = await itemsOf(admin, path)
    expect([path, clear?.['contact']]).toEqual([
      path,
      { id: contactId, display_name: NAME, phone_number: NUMBER },
    ])
    const [masked] = await itemsOf(blind, path)
    expect([path, masked?.['contact']]).toEqual([
      path,
      { id: contactId, display_name: '+*******7788', phone_number: '*******7788' },
    ])
    if (path !== '/api/calls' && !path.includes('flows'))
      expect((await blind.get(`${path}/${masked?.['id']}`)).data['contact']).toEqual(
        masked?.['contact'],
      )
  }
  await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
})

test('nobody else has them: no other organization, and no colleague without the right', async () => {
  const stranger = await world.as('admin', world.other)
  const { client: reader } = await personWith(world, ['contacts:read', 'contacts:read_all'])
  for (const path of LISTS) {
    if (path.includes('flows')) expect((await stranger.get(path)).status).toBe(404)
    else expect(await itemsOf(stranger, path)).toEqual([])
    expect((await reader.get(path)).status).toBe(403)
  }
})

test('scheduled messages are found by their phone number', async () => {
  const { accountId } = world.tenant
  expect(await itemsOf(admin, `/api/scheduled-messages?account_id=${accountId}`)).toHaveLength(1)
  const { accountId: other } = world.other
  expect(await itemsOf(admin, `/api/scheduled-messages?account_id=${other}`)).toEqual([])
})

test('a contact has the campaigns that reached it, and only who reads campaigns sees them', async () => {
  const path = `/api/contacts/${contactId}/campaigns`
  const [recipient] = await fixture.recipients(campaignId)
  const campaign = (await admin.get(`/api/campaigns/${campaignId}`)).data
  expect(await itemsOf(admin, path)).toEqual([
    {
      ...{ id: campaignId, name: campaign['name'], status: recipient?.['status'] },
      ...{ sent_at: recipient?.['sent_at'], delivered_at: recipient?.['delivered_at'] },
      ...{ read_at: recipient?.['read_at'], failed_at: null, replied_at: null },
    },
  ])
  expect(recipient?.['sent_at']).not.toBeNull()
  // one that was only prepared reached nobody
  await fixture.draftFor([NUMBER])
  expect(await itemsOf(admin, path)).toHaveLength(1)

  expect((await (await world.as('admin', world.other)).get(path)).status).toBe(404)
  const { client: reader } = await personWith(world, ['contacts:read', 'contacts:read_all'])
  expect((await reader.get(path)).status).toBe(403)
  const { client: few } = await personWith(world, ['contacts:read', 'campaigns:read'])
  expect((await few.get(path)).status).toBe(404)
})

test('the requests for the data of one contact are found', async () => {
  const asked = await admin.post(`/api/contacts/${contactId}/privacy-export`, {})
  expect(asked.status).toBe(201)
  const of = (id: string): string => `/api/privacy/requests?kind=export&contact_id=${id}`
  expect(await itemsOf(admin, of(contactId))).toMatchObject([{ id: asked.data['id'] }])
  expect(await itemsOf(admin, of(campaignId))).toEqual([])
  expect(await itemsOf(await world.as('admin', world.other), of(contactId))).toEqual([])
})
