import { expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const found = async (by: Client, query = ''): Promise<unknown[]> =>
  ((await by.get(`/api/contacts/duplicates${query}`)).data['items'] as Loose[]).map(
    ({ contacts, reason }) => [reason, ...(contacts as Loose[]).map(({ name }) => name as unknown)],
  )

test('lists possible duplicates by phone number, user ID and email address among visible contacts', async () => {
  await using world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  await admin.post('/api/contact-attributes', { key: 'mail', label: 'Mail', type: 'email' })
  const make = async (name: string, number: string, body: Loose = {}): Promise<string> =>
    (await admin.post('/api/contacts', { phone_number: number, name, ...body })).data[
      'id'
    ] as string
  const ids = {
    a: await make('A', '5511987654321'),
    b: await make('B', '15550400002', { metadata: { email: 'Same@Example.com ' } }),
    c: await make('C', '15550400003', { attributes: { mail: 'same@example.com' } }),
    d: await make('D', '15550400004', { user_id: 'US.1' }),
    e: await make('E', '15550400005'),
  }
  expect(await found(admin)).toEqual([['same_email', 'B', 'C']])
  // The platform's send response can identify the recipient as another known contact.
  const { sqlite } = world.program.http.db
  changeRows(sqlite, 'update contacts set wa_id = ? where id = ?', ['551187654321', ids.b])
  changeRows(sqlite, 'update contacts set user_id = ? where id = ?', ['US.1', ids.e])
  expect(await found(admin)).toEqual([
    ['number_variant', 'A', 'B'],
    ['same_email', 'B', 'C'],
    ['same_user_id', 'D', 'E'],
  ])
  expect((await admin.get('/api/contacts/duplicates?limit=2&page=2')).data).toMatchObject({
    total: 3,
    page: 2,
    limit: 2,
    total_pages: 2,
  })
  expect((await found(admin, '?limit=2&page=2')).length).toBe(1)
  const limited = await personWith(world, ['contacts:read'])
  for (const id of [ids.b, ids.c, ids.d])
    await admin.put(`/api/contacts/${id}/assign`, { user_id: limited.userId })
  expect(await found(limited.client)).toEqual([['same_email', 'B', 'C']])
  await admin.post(`/api/contacts/${ids.b}/merge`, { source_id: ids.c })
  expect(await found(limited.client)).toEqual([])
  expect(await found(await world.as('admin', world.other))).toEqual([])
})

const made = async (by: Client, nth: number, body: Loose = {}): Promise<string> =>
  String((await by.post('/api/contacts', { phone_number: `1555040001${nth}`, ...body })).data['id'])

test('a pair that was told apart is proposed again only when that is taken back', async () => {
  await using world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  const metadata = { email: 'ben@example.com' }
  const one = await made(admin, 1, { name: 'One', metadata })
  const other = await made(admin, 2, { name: 'Other', metadata })
  const path = `/api/contacts/${other}/apart/${one}`
  const pair = [['same_email', 'One', 'Other']]
  expect(await found(admin)).toEqual(pair)
  expect((await admin.delete(path)).status).toBe(404)
  for (const _ of ['said', 'said again']) expect((await admin.put(path)).status).toBe(200)
  expect(await found(admin)).toEqual([])
  expect((await admin.get('/api/contacts/duplicates')).data).toMatchObject({ total: 0 })
  expect(await found(admin, '?apart=true')).toEqual(pair)
  const merged = await made(admin, 3, { name: 'Merged' })
  const merge = await admin.post(`/api/contacts/${merged}/merge`, { source_id: other })
  expect(await found(admin)).toEqual([])
  expect(await found(admin, '?apart=true')).toEqual([['same_email', 'One', 'Merged']])
  await admin.post(`/api/contacts/merges/${String(merge.data['merge_id'])}/undo`)
  expect((await admin.delete(`/api/contacts/${one}/apart/${other}`)).status).toBe(200)
  expect(await found(admin)).toEqual(pair)
  expect(await found(admin, '?apart=true')).toEqual([])
  const { data } = await admin.get(`/api/audit-logs?resource_id=${other}&limit=100`)
  const actions = (data['items'] as Loose[]).map(({ action, changes }) => [action, changes])
  expect(actions.filter(([action]) => action === 'told_apart')).toEqual([
    ['told_apart', [{ field: 'other_id', old_value: null, new_value: one }]],
  ])
})

test('only contacts that the caller sees are told apart, and never one from itself', async () => {
  await using world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  const [one, other] = [await made(admin, 1), await made(admin, 2)]
  const path = `/api/contacts/${one}/apart/${other}`
  const limited = await personWith(world, ['contacts:update'])
  const reader = await personWith(world, ['contacts:read_all', 'contacts:read'])
  const stranger = await world.as('admin', world.other)
  await admin.put(`/api/contacts/${one}/assign`, { user_id: limited.userId })
  for (const method of ['PUT', 'DELETE']) {
    expect((await limited.client.request(method, path)).status).toBe(404)
    expect((await reader.client.request(method, path)).status).toBe(403)
    expect((await stranger.request(method, path)).status).toBe(404)
  }
  const itself = await admin.put(`/api/contacts/${one}/apart/${one}`)
  expect([itself.status, itself.body]).toMatchObject([400, { code: 'invalid_input' }])
  expect(world.rows('select * from contacts_apart')).toEqual([])
})

test('an erased contact leaves no pair', async () => {
  await using world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  const ids = [await made(admin, 1), await made(admin, 2), await made(admin, 3)]
  const [a, b, c] = ids.toSorted()
  await admin.put(`/api/contacts/${a}/apart/${b}`)
  await admin.put(`/api/contacts/${b}/apart/${c}`)
  await admin.put(`/api/contacts/${a}/apart/${c}`)
  await admin.delete(`/api/contacts/${b}?purge=true`)
  await world.settle()
  expect(world.rows('select contact_id, other_id from contacts_apart')).toEqual([
    { contact_id: a, other_id: c },
  ])
})
