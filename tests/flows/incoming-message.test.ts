import { expect, test } from 'bun:test'

import { World } from '../support/world'

test('a message is received, published and answered, and statuses are applied', async () => {
  await using world = await World.create()
  const manager = await world.as('manager')
  const socket = await world.socket('manager')
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
  await customer.says('Do you have it in blue? café 🍕')
  await world.settle()

  const [contactNew] = await socket.caughtUp()
  const [messageNew] = socket.events('message:new')
  expect(contactNew?.type).toBe('contact:new')
  expect(Object.keys(messageNew?.payload ?? {}).slice(0, 6)).toEqual([
    'id',
    'contact_id',
    'direction',
    'type',
    'content',
    'timestamp',
  ])
  expect(messageNew).toMatchObject({
    type: 'message:new',
    payload: {
      direction: 'incoming',
      type: 'text',
      content: { text: 'Do you have it in blue? café 🍕' },
    },
  })

  const contactId = contactNew?.payload['id'] as string
  const sent = await manager.post(`/api/contacts/${contactId}/messages`, {
    type: 'text',
    text: 'Yes, we do.',
  })
  expect(sent.status).toBe(201)
  expect(sent.data['status']).toBe('pending')
  await world.settle()
  const [arrived] = await customer.waitForMessages(1)
  expect(arrived).toBeDefined()
  await customer.reads(
    String((await manager.get(`/api/messages/${sent.data['id']}`)).data['wa_message_id']),
  )
  await world.settle()

  const { data } = await manager.get(`/api/messages/${sent.data['id']}`)
  expect(data).toMatchObject({ status: 'read' })
  await socket.caughtUp()
  expect(socket.events('message:status').map((frame) => frame.payload['status'])).toEqual([
    'sent',
    'delivered',
    'read',
  ])
})
