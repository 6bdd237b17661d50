import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

/** A contact with its conversation, and the path of the timeline. */
async function conversation(
  phone: string,
): Promise<{ contactId: string; id: string; path: string; says: (text: string) => Promise<void> }> {
  const contactId = String((await world.contactOf(world.tenant, 'Hello', phone))['id'])
  const { data } = await admin.get('/api/conversations?limit=1')
  const id = String((data['items'] as Loose[])[0]?.['id'])
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: phone })
  return {
    contactId,
    id,
    path: `/api/conversations/${id}/timeline`,
    async says(text) {
      await customer.says(text)
      await world.settle()
    },
  }
}

const itemsOf = async (path: string, client = admin): Promise<Loose[]> =>
  (await client.get(path)).data['items'] as Loose[]
const kindsOf = async (path: string): Promise<unknown[]> =>
  (await itemsOf(path)).map(
    ({ kind, actor }) => `${String(kind)} by ${String((actor as Loose)['type'])}`,
  )

test('tells who did what, newest first: people, customers, the bot and the server', async () => {
  const { id, contactId, path, says } = await conversation('491510000001')
  const agent = world.tenant.userIds.agent
  const step = async (work: () => Promise<unknown>): Promise<void> => {
    world.clock.advance({ seconds: 5 })
    await work()
    await world.settle()
  }
  const one = `/api/conversations/${id}`
  await step(() => admin.put(`${one}/assign`, { user_id: agent }))
  await step(() => admin.put(one, { priority: 'high' }))
  await step(() => admin.put(`/api/contacts/${contactId}/tags`, { tags: ['vip'] }))
  await step(() => admin.put(`/api/contacts/${contactId}/tags`, { tags: [] }))
  await step(() =>
    admin.post(`${one}/snooze`, { until: new Date(world.clock.nowMs() + 60_000).toISOString() }),
  )
  world.clock.advance({ minutes: 2 })
  await world.settle()
  await step(() => admin.put(one, { state: 'closed' }))
  await step(() => says('One more thing'))
  await step(() => admin.post(`${one}/release`))
  expect(await kindsOf(path)).toEqual([
    'unassigned by user',
    'reopened by customer',
    'closed by user',
    'woken by system',
    'snoozed by user',
    'tag_removed by user',
    'tag_added by user',
    'priority by user',
    'assigned by user',
  ])
  const items = await itemsOf(path)
  expect(items.at(-1)).toMatchObject({
    actor: { id: world.tenant.userIds.admin },
    details: { user_id: agent, from_user_id: null, team_id: null },
  })
  expect(items.at(-1)?.['details']['user_name']).toBeTruthy()
  expect(items[6]?.['details']).toMatchObject({ tag_name: 'vip' })
  // Page by page the same, without a gap or a double.
  const read: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const page: Loose = (await admin.get(`${path}?limit=2${query}`)).data
    read.push(...(page['items'] as Loose[]).map((item) => item['id']))
    cursor = page['next_cursor'] as string | null
  }
  expect(read).toEqual(items.map((item) => item['id']))
  const opened = (await admin.get(`${one}?include=timeline`)).data['timeline'] as Loose
  expect(opened).toEqual({ items, next_cursor: null })
  expect((await admin.get(`${path}?cursor=nonsense`)).status).toBe(400)
  const stranger = await personWith(world, ['messages:read', 'contacts:read'])
  expect((await stranger.client.get(path)).status).toBe(404)
})

test('tells a hand-over to a person or a team once', async () => {
  const { agent } = world.tenant.userIds
  await (await world.as('agent')).put('/api/me/availability', { is_available: true })
  const own = await conversation('491510000009')
  await admin.put(`/api/conversations/${own.id}/assign`, { user_id: world.tenant.userIds.admin })
  world.clock.advance({ seconds: 5 })
  const answer = await admin.post('/api/chatbot/transfers', {
    contact_id: own.contactId,
    account_id: world.tenant.accountId,
    agent_id: agent,
  })
  expect(answer.status).toBe(201)
  expect(await kindsOf(own.path)).toEqual(['transferred by user', 'assigned by user'])
  expect((await itemsOf(own.path))[0]?.['details']).toMatchObject({ user_id: agent })
  // A later change of hands is told by itself, and the transfer still says to whom it was made.
  world.clock.advance({ seconds: 5 })
  const team = await admin.post('/api/teams', { name: 'Returns' })
  const to = { to: 'team', id: String((team.data['team'] as Loose)['id']) }
  expect((await admin.put(`/api/conversations/${own.id}/owner`, to)).status).toBe(200)
  const [later, first] = await itemsOf(own.path)
  expect([later?.['kind'], later?.['details']['team_name']]).toEqual(['assigned', 'Returns'])
  expect(first).toMatchObject({ kind: 'transferred', details: { user_id: agent, team_id: null } })
})

test('shows transfers, the bot, campaigns and merges, which can be undone', async () => {
  await admin.put('/api/chatbot/settings', {
    chatbot_enabled: true,
    greeting_message: 'Welcome!',
    debounce_seconds: 0,
  })
  const own = await conversation('491510000002')
  await admin.put('/api/chatbot/settings', { chatbot_enabled: false })
  world.clock.advance({ seconds: 5 })
  await admin.post('/api/chatbot/transfers', {
    contact_id: own.contactId,
    account_id: world.tenant.accountId,
  })
  await world.settle()
  world.clock.advance({ seconds: 5 })
  const campaign = await admin.post('/api/campaigns', {
    name: 'News',
    account_id: world.tenant.accountId,
    template_id: await approvedTemplate(world),
    variable_mapping: { '1': { field: 'name', default: 'there' } },
  })
  const at = `/api/campaigns/${String(campaign.data['id'])}`
  await admin.post(`${at}/recipients/import`, { recipients: [{ phone_number: '491510000002' }] })
  await admin.post(`${at}/start`, {})
  await world.settle()
  const kinds = await kindsOf(own.path)
  expect(kinds).toContain('bot_started by bot')
  expect(kinds).toContain('bot_ended by bot')
  expect(kinds).toContain('transferred by user')
  expect(kinds[0]).toBe('campaign_sent by system')
  expect((await itemsOf(own.path))[0]?.['details']).toMatchObject({ campaign_name: 'News' })
  const reader = await personWith(world, ['messages:read', 'contacts:read'])
  await admin.put(`/api/contacts/${own.contactId}/assign`, { user_id: reader.userId })
  const sent = (await itemsOf(own.path, reader.client)).find(({ kind }) => kind === 'campaign_sent')
  expect(sent?.['details']).not.toHaveProperty('campaign_name')

  world.clock.advance({ seconds: 5 })
  const target = await conversation('491510000003')
  const { data: merge } = await admin.post(`/api/contacts/${target.contactId}/merge`, {
    source_id: own.contactId,
  })
  const joined = await kindsOf(target.path)
  expect(joined).toContain('merged by user')
  expect(joined).toContain('assigned by user')
  await admin.post(`/api/contacts/merges/${String(merge['merge_id'])}/undo`)
  expect(await kindsOf(target.path)).not.toContain('merged by user')
  expect(await kindsOf(own.path)).toContain('assigned by user')
  const { data: request } = await admin.post(`/api/contacts/${own.contactId}/erase`, {
    confirm: own.contactId,
  })
  await world.settle()
  const { data } = await admin.get(`/api/privacy/requests/${String(request['id'])}`)
  expect(((data['receipt'] as Loose)['counts'] as Loose)['timeline']).toBeGreaterThan(0)
  expect(world.rows('select 1 from timeline_entries where contact_id = ?', own.contactId)).toEqual(
    [],
  )
})

test('records changes of many at once, and nothing for a contact without a conversation', async () => {
  const { path, contactId } = await conversation('491510000004')
  const silent = await admin.post('/api/contacts', { phone_number: '4915100000099', tags: ['vip'] })
  await admin.post('/api/contacts/bulk', {
    contact_ids: [contactId, String(silent.data['id'])],
    action: 'assign',
    value: world.tenant.userIds.agent,
  })
  await world.settle()
  const team = (await admin.post('/api/teams', { name: 'Sales' })).data['team'] as Loose
  await admin.put(`/api/contacts/${contactId}/assign`, { team_id: team['id'] })
  await admin.delete(`/api/teams/${String(team['id'])}`)
  await world.settle()
  await admin.delete(`/api/users/${world.tenant.userIds.agent}`)
  const kinds = await kindsOf(path)
  expect(kinds.filter((kind) => String(kind).startsWith('assigned'))).toHaveLength(3)
  expect(kinds).toContain('unassigned by user')
  expect(
    world.rows('select 1 from timeline_entries where contact_id = ?', String(silent.data['id'])),
  ).toEqual([])
})
