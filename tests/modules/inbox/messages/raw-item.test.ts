import { expect, test } from 'bun:test'

import { deliver, textTo, valueOf } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

/** A world with a message of a kind that nobody knows yet, which mentions a number. */
async function withUnknownKind() {
  const world = await World.create()
  const webhook = textTo(world, 'x', {
    id: 'wamid.odd',
    person: { waId: '15550300001', name: 'Ana' },
  })
  const [item] = valueOf(webhook)['messages']
  delete item.text
  Object.assign(item, { type: 'hologram', hologram: { from: '15550300001', bytes: 12_345_678 } })
  await deliver(world, webhook)
  const [row] = world.rows('select id from messages where wa_message_id = ?', 'wamid.odd')
  return { world, url: `/api/messages/${row?.['id']}`, [Symbol.asyncDispose]: () => world.stop() }
}

const MANAGES = ['messages:read', 'contacts:read', 'contacts:read_all', 'accounts:update']

test('the raw platform item is returned only on request', async () => {
  await using at = await withUnknownKind()
  const admin = await at.world.as('admin')
  const { data } = await admin.get(`${at.url}?include=raw`)
  expect(data).toMatchObject({
    type: 'unsupported',
    raw: { type: 'hologram', hologram: { from: '15550300001', bytes: 12_345_678 } },
  })
  expect((await admin.get(at.url)).data).not.toHaveProperty('raw')
})

test('text messages have no raw item', async () => {
  await using at = await withUnknownKind()
  const contact = await at.world.contactOf()
  const admin = await at.world.as('admin')
  const { data } = await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
  })
  expect((await admin.get(`/api/messages/${data['id']}?include=raw`)).data['raw']).toBeNull()
})

test('phone numbers in the raw item are masked', async () => {
  await using at = await withUnknownKind()
  at.world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
  const { client } = await personWith(at.world, MANAGES)
  const { data } = await client.get(`${at.url}?include=raw`)
  expect(data['raw']['hologram']).toEqual({ from: '*******0001', bytes: 12_345_678 })
})

test('the raw item requires accounts:update, and 404 hides invisible messages', async () => {
  await using at = await withUnknownKind()
  const reader = await personWith(at.world, ['messages:read', 'contacts:read', 'contacts:read_all'])
  expect(await reader.client.get(`${at.url}?include=raw`)).toMatchObject({
    status: 403,
    body: { code: 'permission_denied' },
  })
  expect((await reader.client.get(at.url)).status).toBe(200)
  const blind = await personWith(at.world, ['messages:read', 'contacts:read', 'accounts:update'])
  expect((await blind.client.get(`${at.url}?include=raw`)).status).toBe(404)
  expect((await (await at.world.as('admin')).get(`${at.url}?include=all`)).status).toBe(400)
})
