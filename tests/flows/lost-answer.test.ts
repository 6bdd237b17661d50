import { expect, test } from 'bun:test'

import { World } from '../support/world'

test("a status for a message without a response releases the contact's next message at once", async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  const path = `/api/contacts/${contact['id']}/messages`
  world.simulator.loseAnswer()
  const lost = await manager.post(path, { type: 'text', text: 'The answer to this one is lost' })
  await world.settle()
  const next = await manager.post(path, { type: 'text', text: 'This one must not wait behind it' })
  await world.settle()
  for (const { data } of [lost, next])
    expect((await manager.get(`/api/messages/${data['id']}`)).data).toMatchObject({
      status: 'delivered',
    })
  expect(world.simulator.messages).toHaveLength(2)
})
