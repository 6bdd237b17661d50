import { expect, test } from 'bun:test'

import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

test.each<[type: string, good: string[], bad: string[]]>([
  [
    'url',
    ['http://example.com', 'https://example.com/a?b=c', `https://example.com/${'x'.repeat(1_900)}`],
    ['ftp://example.com', 'mailto:ana@example.com', 'example.com', 'https://example.com/\u0007'],
  ],
  [
    'email',
    ['ana@example.com', `${'x'.repeat(60)}@${'y'.repeat(60)}.example.com`],
    [
      'ana@example',
      'ana example@example.com',
      `${'x'.repeat(250)}@example.com`,
      'ana@example.com\u0007',
    ],
  ],
  ['date', ['2028-02-29'], ['2026-02-29', '29.02.2028', '2028-2-29', 'today']],
])('a field of type %s takes good values and no others', async (type, good, bad) => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const admin = await world.as('admin')
  await admin.post('/api/contact-attributes', { key: 'own', label: 'Own', type })
  const { data } = await admin.post('/api/contacts', { phone_number: '15550700001' })
  const put = (own: unknown) => admin.put(`/api/contacts/${data['id']}`, { attributes: { own } })
  for (const value of good) expect((await put(value)).data['attributes']).toEqual({ own: value })
  for (const value of [...bad, 7, true, '']) {
    const { status, body } = await put(value)
    expect([value, status, body.errors?.[0]?.path]).toEqual([value, 400, 'body.attributes.own'])
  }
})

test('an agent without transfers:assign creates a contact for itself', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const { client, userId } = await personWith(world, [
    'contacts:create',
    'contacts:read',
    'contacts:read_all',
  ])
  const create = (phone_number: string, assigned_to: string | null) =>
    client.post('/api/contacts', { phone_number, assigned_to, account_id: null })
  expect((await create('15550700001', userId)).data).toMatchObject({ assigned_to: userId })
  expect((await create('15550700002', null)).data).toMatchObject({ assigned_to: null })
  const refused = await create('15550700003', world.tenant.userIds.agent)
  expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  const nobody = await create('15550700004', '01900000-0000-7000-8000-ffffffffffff')
  expect([nobody.status, nobody.body.code]).toEqual([400, 'not_a_member'])
})
