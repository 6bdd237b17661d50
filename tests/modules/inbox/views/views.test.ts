import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

const PATH = '/api/views'

let world: World
let admin: Client
let reader: OwnRole
let contactId: string

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  contactId = String((await world.contactOf())['id'])
  reader = await personWith(world, ['messages:read', 'contacts:read'])
})

afterAll(() => world.stop())

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const paths = ({ body }: Answer<unknown>): string[] => (body.errors ?? []).map(({ path }) => path)
const save = (client: Client, more: Loose = {}): Promise<Answer<Loose>> =>
  client.post(PATH, { name: 'Open', resource: 'conversations', filter: { state: 'open' }, ...more })
const namesOf = async (client: Client, query = ''): Promise<string[]> =>
  ((await client.get(PATH + query)).data['items'] as Loose[]).map(({ name }) => String(name))

test('private views are their owner’s, shared ones everybody’s, in their order', async () => {
  const { status, data } = await save(admin, {
    name: ' Waiting ',
    filter: { assigned_to: world.tenant.userIds.agent.toUpperCase(), unread: true },
  })
  expect([status, data]).toMatchObject([
    201,
    {
      name: 'Waiting',
      filter: { assigned_to: world.tenant.userIds.agent, unread: true },
      is_shared: false,
      position: 0,
      owner: { id: world.tenant.userIds.admin },
    },
  ])
  const shared = (
    await save(admin, { name: 'Team', resource: 'contacts', filter: {}, is_shared: true })
  ).data
  await save(admin, { name: 'Ads', resource: 'campaigns', filter: {}, is_shared: true })
  expect(await namesOf(admin)).toEqual(['Team', 'Waiting', 'Ads'])
  // The reader may not read campaigns.
  expect(await namesOf(reader.client)).toEqual(['Team'])
  expect(await namesOf(admin, '?resource=campaigns')).toEqual(['Ads'])
  const own = `${PATH}/${String(data['id'])}`
  for (const answer of [
    await reader.client.put(own, { name: 'Mine' }),
    await reader.client.delete(own),
    await admin.put(`${PATH}/${NOBODY}`, { name: 'None' }),
  ])
    expect(verdict(answer)).toEqual([404, 'not_found'])
  for (const answer of [
    await reader.client.put(`${PATH}/${String(shared['id'])}`, { name: 'Mine' }),
    await reader.client.delete(`${PATH}/${String(shared['id'])}`),
    await save(reader.client, { is_shared: true }),
    await reader.client.put(`${PATH}/${String((await save(reader.client)).data['id'])}`, {
      is_shared: true,
    }),
  ])
    expect(verdict(answer)).toEqual([403, 'permission_denied'])
  expect((await admin.put(own, { position: 5, filter: {} })).data).toMatchObject({
    filter: {},
    position: 5,
  })
  expect(await namesOf(admin)).toEqual(['Team', 'Ads', 'Waiting'])
  const { data: log } = await admin.get('/api/audit-logs?resource_type=view')
  expect((log['items'] as Loose[]).map(({ resource_name }) => resource_name)).toEqual([
    'Ads',
    'Team',
  ])
  expect((await admin.delete(own)).status).toBe(200)
})

test('a shared view that becomes private belongs to whoever made it so', async () => {
  const filter = { state: 'open', search: 'Ann' }
  const { data } = await save(admin, { name: 'For all', filter, is_shared: true, position: 3 })
  const manager = await world.as('manager')
  const path = `${PATH}/${String(data['id'])}`
  world.clock.advance({ seconds: 1 })
  await manager.put(path, { filter: { state: 'closed', search: 'Bob', unread: true } })
  const own = (await manager.put(path, { is_shared: false, name: ' Mine ' })).data
  expect(own).toMatchObject({
    name: 'Mine',
    is_shared: false,
    position: 3,
    owner: { id: world.tenant.userIds.manager },
    created_at: data['created_at'],
    updated_at: new Date(world.clock.nowMs()).toISOString(),
  })
  expect(await namesOf(admin)).not.toContain('Mine')
  await manager.put(path, { position: 4 })
  await manager.delete(path)
  const log = await admin.get(
    `/api/audit-logs?resource_type=view&resource_id=${String(data['id'])}`,
  )
  expect((log.data['items'] as Loose[]).map(({ changes }) => changes as unknown)).toEqual([
    [
      { field: 'name', old_value: 'For all', new_value: 'Mine' },
      { field: 'is_shared', old_value: true, new_value: false },
    ],
    [{ field: 'filter', old_value: 'state, search', new_value: 'state, search, unread' }],
    [],
  ])
})

test('rejects what the list would not accept, with its path', async () => {
  for (const [resource, filter, named] of [
    ['conversations', { state: 'gone' }, ['state']],
    ['conversations', { page: 2 }, ['page']],
    ['conversations', { unread: 'yes', sort: 'name' }, ['unread', 'sort']],
    ['contacts', { segment_id: NOBODY, assigned_to: NOBODY }, ['segment_id', 'assigned_to']],
    ['contacts', { created_from: 'yesterday' }, ['created_from']],
    ['campaigns', { from: 'yesterday', template_id: NOBODY }, ['from', 'template_id']],
  ] as const) {
    const answer = await save(admin, { resource, filter })
    expect([answer.status, paths(answer).toSorted()]).toEqual([
      400,
      named.map((name) => `body.filter.${name}`).toSorted(),
    ])
  }
  const segment = await admin.post('/api/segments', {
    name: 'Mine',
    filter: { field: 'created_at', op: 'exists' },
  })
  const filter = { segment_id: segment.data['id'] }
  const own = await save(admin, { resource: 'contacts', filter })
  expect(own.status).toBe(201)
  const share = await admin.put(`${PATH}/${String(own.data['id'])}`, { is_shared: true })
  expect([share.status, paths(share)]).toEqual([400, ['body.filter.segment_id']])
})

test('a view stays when what it names is deleted, and can still be renamed', async () => {
  const team = String(
    ((await admin.post('/api/teams', { name: 'Sales' })).data['team'] as Loose)['id'],
  )
  const filter = { team_id: team, state: 'open' }
  const path = `${PATH}/${String((await save(admin, { filter })).data['id'])}`
  await admin.delete(`/api/teams/${team}`)
  const { status, data } = await admin.put(path, { name: 'Old sales', filter })
  expect([status, data['name'], data['filter']]).toEqual([200, 'Old sales', filter])
})

test('counts what the caller sees, at most every five seconds', async () => {
  const made = await Promise.all([
    save(admin, { is_shared: true }),
    save(admin, { filter: { search: 'nobody at all' }, is_shared: true }),
    save(admin, { resource: 'contacts', filter: { blocked: false }, is_shared: true }),
    save(admin, { resource: 'campaigns', filter: {} }),
  ])
  const ids = made.map(({ data }) => String(data['id']))
  const count = async (client: Client): Promise<unknown[]> => {
    const { data } = await client.get(`${PATH}/counts?ids=${[...ids, NOBODY].join(',')}`)
    return ids.map((id) => data[id])
  }
  expect(await count(admin)).toEqual([1, 0, 1, 0])
  // A member who sees no contact, and may not read campaigns.
  expect(await count(reader.client)).toEqual([0, 0, 0, undefined])
  await admin.put(`/api/contacts/${contactId}/assign`, { user_id: reader.userId })
  expect(await count(reader.client)).toEqual([0, 0, 0, undefined])
  world.clock.advance({ seconds: 5 })
  expect(await count(reader.client)).toEqual([1, 0, 1, undefined])
  const many = Array.from({ length: 11 }, () => NOBODY).join(',')
  expect((await admin.get(`${PATH}/counts?ids=${many}`)).status).toBe(400)
})

test('hides a number in the search of somebody else where numbers are masked', async () => {
  const { data } = await save(admin, { filter: { search: '+49 151 23456789' }, is_shared: true })
  await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
  const { data: page } = await reader.client.get(PATH)
  const shown = (page['items'] as Loose[]).find(({ id }) => id === data['id'])
  expect(JSON.stringify(shown)).not.toContain('23456789')
  const own = await save(reader.client, { filter: { search: '+49 151 23456789' } })
  expect(own.data['filter']).toEqual({ search: '+49 151 23456789' })
})

test('keeps shared views of a removed person, at most 50 private ones and 100 shared ones', async () => {
  const { client, userId } = await personWith(world, ['messages:read', 'contacts:update'])
  await save(client, { name: 'Left for all', is_shared: true })
  for (let nth = 0; nth < 50; nth += 1)
    expect((await save(client, { name: `Own ${nth}` })).status).toBe(201)
  expect(verdict(await save(client))).toEqual([409, 'limit_reached'])
  const shared = () => world.rows('select 1 from views where is_shared = 1').length
  while (shared() < 100)
    expect((await save(client, { name: 'Shared', is_shared: true })).status).toBe(201)
  expect(verdict(await save(client, { is_shared: true }))).toEqual([409, 'limit_reached'])
  const own = (await client.get(`${PATH}?limit=100`)).data['items'] as Loose[]
  const path = `${PATH}/${own.find(({ is_shared }) => is_shared === false)?.['id']}`
  expect(verdict(await client.put(path, { is_shared: true }))).toEqual([409, 'limit_reached'])
  await admin.delete(`/api/users/${userId}`)
  expect(await namesOf(admin, '?limit=100')).toContain('Left for all')
  expect(world.rows("select 1 from views where name like 'Own %'")).toEqual([])
})
