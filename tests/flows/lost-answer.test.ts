import { expect, test } from 'bun:test'

import { World } from '../support/world'

test('once a status tells what became of a message whose answer was lost, the next one to that contact leaves at once', async () => {
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
