import { expect, test } from 'bun:test'

import { late } from '../../../../src/console/texts/en-late'
import { plainFields } from '../../../../src/modules/inbox/contacts/plain-fields'
import { CampaignFixture } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { exported } from '../../../support/imports'
import { keyOf } from '../../../support/keys'
import { World } from '../../../support/world'

const PLAIN = plainFields.map(({ field }) => field).join(' ')

/** The columns of each table with their types; those that must be asked for end with `?`. */
const COLUMNS = {
  contacts: {
    text: `id user_id ${PLAIN} profile_name display_name? username? parent_user_id? country marketing_consent assigned_to assigned_user assigned_team_id? account_id? source attributes.born attributes.plan`,
    phone: 'phone_number wa_id?',
    list: 'tags',
    boolean: 'blocked attributes.on',
    json: 'metadata?',
    time: 'first_seen_at? last_message_at last_inbound_at? created_at updated_at?',
    number: 'unread_count? attributes.age',
  },
  tags: { text: 'id name color', number: 'contact_count', time: 'created_at updated_at?' },
  messages: {
    text: 'id contact_id contact_name direction type kind text reply_to_id reply_to_wa_message_id reply_id media_id? media_url mime_type? filename status error pricing_category pricing_type cost currency source sent_by account_id conversation_id? wa_message_id? client_ref? campaign_id? template_name? ai_model?',
    phone: 'phone_number',
    number: 'latitude longitude',
    json: 'content?',
    boolean: 'billable ai_generated',
    list: 'reactions?',
    time: 'timestamp sent_at delivered_at read_at played_at failed_at received_at? edited_at? revoked_at?',
  },
}

async function addOwnFields(admin: Client): Promise<void> {
  for (const [key, label, type] of [
    ['plan', 'The plan', 'text'],
    ['age', 'Age', 'number'],
    ['on', 'On', 'boolean'],
    ['born', 'Born', 'date'],
  ])
    await admin.post('/api/contact-attributes', { key, label, type })
}

const rowOf = async (world: World, client: Client, body: Loose): Promise<Loose> =>
  JSON.parse((await exported(world, client, { ...body, format: 'jsonl' })).text) as Loose

test('each table has its columns with types and labels', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const admin = await world.as('admin')
  await addOwnFields(admin)
  for (const [table, types] of Object.entries(COLUMNS)) {
    const { data } = await admin.get(`/api/export/${table}/config`)
    expect(data).toMatchObject({ max_rows: null, max_bytes: null })
    const columns = data['columns'] as Loose[]
    const found = Object.fromEntries(
      columns.map(({ key, type, required }) => [`${key}${required ? '' : '?'}`, type as string]),
    )
    const wanted = Object.fromEntries(
      Object.entries(types).flatMap(([type, keys]) => keys.split(' ').map((key) => [key, type])),
    )
    expect(found).toEqual(wanted)
    for (const { key, label, aliases } of columns) {
      expect(aliases).toEqual([])
      // the console has a word for each that no custom field names
      expect(`exports.column.${key}` in late).toBe(!String(key).startsWith('attributes.'))
      const own = { 'attributes.plan': 'The plan', 'attributes.age': 'Age' }[String(key)]
      const words = String(key).replace('attributes.', '').replaceAll('_', ' ')
      expect(label).toBe(own ?? words.charAt(0).toUpperCase() + words.slice(1))
    }
  }
})

test('a contact is exported with the values of the API', async () => {
  await using world = await World.create({ tenants: 1 })
  const admin = await world.as('admin')
  await addOwnFields(admin)
  const { id } = await world.contactOf(world.tenant, 'Hello', '15550700001')
  await admin.put(`/api/contacts/${id}`, {
    ...{ name: 'Ana Sol', language: 'es', metadata: { a: [1] }, tags: ['VIP', 'Lima'] },
    attributes: { plan: 'gold', age: 40, on: false, born: '1980-02-29' },
  })
  await admin.put(`/api/contacts/${id}/assign`, { user_id: world.tenant.userIds.agent })
  const { data: config } = await admin.get('/api/export/contacts/config')
  const columns = (config['columns'] as Loose[]).map(({ key }) => key as string)
  const row = await rowOf(world, admin, { table: 'contacts', columns })
  const { data: shown } = await admin.get(`/api/contacts/${id}`)
  const { attributes, tags, assigned_user: agent, ...same } = shown
  const own = attributes as Loose
  expect(row).toEqual({
    ...Object.fromEntries(columns.filter((key) => key in same).map((key) => [key, same[key]])),
    tags: (tags as Loose[]).map(({ name }) => name),
    assigned_user: (agent as Loose)['full_name'],
    ...Object.fromEntries(Object.keys(own).map((key) => [`attributes.${key}`, own[key]])),
  } as Loose)
  expect(row).toMatchObject({
    'attributes.plan': 'gold',
    'attributes.age': 40,
    'attributes.on': false,
    'attributes.born': '1980-02-29',
  })
  expect(Object.keys(row)).toEqual(columns)
})

test('a message of a campaign is exported with its campaign and template', async () => {
  await using fixture = await CampaignFixture.open({ tenants: 1 })
  const { world } = fixture
  const id = await fixture.draftFor(['15550700001'])
  expect((await fixture.do(id, 'start')).status).toBe(200)
  await fixture.run(id)
  const row = await rowOf(world, await world.as('admin'), {
    table: 'messages',
    columns: ['campaign_id', 'template_name', 'source', 'direction', 'contact_name', 'sent_by'],
  })
  expect(row).toMatchObject({ campaign_id: id, source: 'campaign', direction: 'outgoing' })
  expect(row['template_name']).toMatch(/\w/)
})

test('messages are exported with times, files and chosen buttons', async () => {
  await using world = await World.create({ tenants: 1 })
  const admin = await world.as('admin')
  const { id } = await world.contactOf(world.tenant, 'Hello', '15550700001')
  const { data: file } = await upload(admin, {
    bytes: new TextEncoder().encode('a list'),
    type: 'text/plain',
    name: 'list.txt',
  })
  world.clock.advance({ minutes: 5 })
  await admin.post(`/api/contacts/${id}/messages`, { type: 'document', media_id: file['id'] })
  await world.settle()
  const [sent] = (await admin.get(`/api/contacts/${id}/messages`)).data['items'] as Loose[]
  world.clock.advance({ minutes: 5 })
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550700001' })
  await customer.taps('blue-1', 'Blue', { replyTo: String(sent?.['wa_message_id']) })
  await world.settle()
  const columns = 'timestamp type kind media_id mime_type filename reply_id text'.split(' ')
  const { text } = await exported(world, admin, { table: 'messages', columns, format: 'jsonl' })
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => Object.values(JSON.parse(line) as Loose) as unknown[])
  expect(rows).toEqual([
    ['2026-11-21T09:30:00.000Z', 'text', null, null, null, null, null, 'Hello'],
    [
      ...['2026-11-21T09:35:00.000Z', 'document', null, file['id'], 'text/plain', 'list.txt'],
      ...[null, expect.any(String)],
    ],
    [
      ...['2026-11-21T09:40:00.000Z', 'interactive', 'button_reply', null, null, null],
      ...['blue-1', 'Blue'],
    ],
  ])
})

test('a finished export names its requester, as does the audit log', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  world.stays('exports')
  const admin = await world.as('admin')
  await admin.post('/api/tags', { name: 'One', color: 'blue' })
  await admin.post('/api/tags', { name: 'Two', color: 'red' })
  const { about, lines } = await exported(world, admin, { table: 'tags' })
  expect(lines[0]).toBe('id,name,color,contact_count,created_at')
  expect(about).toEqual({
    ...{ id: about['id'], table: 'tags', format: 'csv', status: 'completed', rows: 2 },
    ...{ bytes: about['bytes'], error: null, created_by: world.tenant.userIds.admin },
    created_at: '2026-11-21T09:30:00.000Z',
    finished_at: '2026-11-21T09:30:00.000Z',
    expires_at: '2026-11-28T09:30:00.000Z',
  })
  expect((await admin.get('/api/exports')).data).toMatchObject({ total: 1, items: [about] })
  const { data: notices } = await admin.get('/api/me/notifications')
  expect(notices).toMatchObject({
    total: 1,
    items: [
      {
        ...{ kind: 'export_done', severity: 'info', link: `/exports/${about['id']}` },
        title: 'Export finished: tags.csv',
        body: expect.stringContaining('contains 2 tags'),
      },
    ],
  })
  expect((await admin.get('/api/audit-logs?action=exported')).data).toMatchObject({
    items: [
      {
        ...{ actor_type: 'user', user_id: world.tenant.userIds.admin, user_name: 'Acme admin' },
        ...{ resource_type: 'tag', resource_id: about['id'], resource_name: 'tags.csv' },
        changes: [{ field: 'rows', old_value: null, new_value: 2 }],
      },
    ],
  })
})

test('an export by an API key names the key in the audit log', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const admin = await world.as('admin')
  const { client, id } = await keyOf(world)
  await exported(world, client, { table: 'tags' })
  expect((await admin.get('/api/audit-logs?action=exported')).data).toMatchObject({
    items: [{ actor_type: 'api_key', api_key_id: id, resource_name: 'tags.csv' }],
  })
})

test.each([
  [{ table: 'contacts', columns: ['name', 'x'] }, ['body.columns.1']],
  [{ table: 'contacts', columns: ['name', 'name'] }, ['body.columns']],
  [{ table: 'contacts', columns: [] }, ['body.columns']],
  [{ table: 'tags', columns: ['phone_number'] }, ['body.columns.0']],
  [
    { table: 'tags', filters: { direction: 'incoming', more: 1 } },
    ['body.filters.direction', 'body.filters.more'],
  ],
  [{ table: 'messages', filters: { contact_id: 'x' } }, ['body.filters.contact_id']],
  [{ table: 'messages', filters: { direction: 'up' } }, ['body.filters.direction']],
  [{ table: 'messages', filters: { from: 'yesterday' } }, ['body.filters.from']],
  [{ table: 'messages', filters: { tags: 'a' } }, ['body.filters.tags']],
  [{ table: 'contacts', filters: { blocked: 'yes' } }, ['body.filters.blocked']],
  [{ table: 'contacts', filters: { assigned_to: 'you' } }, ['body.filters.assigned_to']],
  [{ table: 'contacts', filters: { search: 'x'.repeat(256) } }, ['body.filters.search']],
  [{ table: 'contacts', filters: { search: '' } }, ['body.filters.search']],
  [{ table: 'contacts', segment_id: '01900000-0000-7000-8000-ffffffffffff' }, ['body.segment_id']],
  [{ table: 'tags', segment_id: '01900000-0000-7000-8000-ffffffffffff' }, ['body.segment_id']],
])('%j is rejected with the names of its fields', async (body, paths) => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const { status, body: answer } = await (await world.as('admin')).post('/api/export', body)
  expect([status, answer.code]).toEqual([400, 'invalid_input'])
  expect(answer.errors?.map(({ path }) => path)).toEqual(paths)
})

test('filters of listed values and of times reject others and name the allowed ones', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const { body } = await (
    await world.as('admin')
  ).post('/api/export', { table: 'messages', filters: { direction: 'up', from: 'yesterday' } })
  const [direction, from] = (body.errors ?? []).map(({ message }) => message)
  for (const word of ['incoming', 'outgoing']) expect(direction).toContain(word)
  expect(from).toContain('time')
})
