import { expect, test } from 'bun:test'

import { World } from '../../../support/world'

test('erasing a person erases stored responses that contain one of its numbers in any field', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('answers to repeated requests')
  const { id } = await world.contactOf(world.tenant, 'Hello', '15550700001')
  const admin = await world.as('admin')
  const tag = (name: string) =>
    admin.with({ 'idempotency-key': `tag-${name}` }).post('/api/tags', { name })
  const names = ['15550700001', '15550700002', 'VIP']
  for (const name of names) expect((await tag(name)).status).toBe(201)
  await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await world.settle()
  const again = await Promise.all(names.map(tag))
  expect(again.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'idempotency_interrupted'],
    [201, undefined],
    [201, undefined],
  ])
})
