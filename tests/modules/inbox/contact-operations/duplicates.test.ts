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
