import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { CampaignFixture } from '../../../support/campaigns'
import { deliver, textTo } from '../../../support/lines'
import { Outbox } from '../../../support/outbox'
import type { Person, World } from '../../../support/world'

/** The notices of unknown messages to a person, newest first. */
async function notices(world: World, person: Person, tenant = world.tenant): Promise<Loose[]> {
  const { data } = await (await world.as(person, tenant)).get('/api/me/notifications?limit=100')
  return (data['items'] as Loose[]).filter(({ kind }) => kind === 'sends_unknown')
}

const titles = async (world: World): Promise<unknown[]> =>
  (await notices(world, 'admin')).map(({ title }) => title)

test('a notice says how many messages are unknown, a minute after the first, and once an hour', async () => {
  await using outbox = await Outbox.open()
  const { world } = outbox
  const [first = {}, second = {}, third = {}] = await outbox.contacts(3)
  const pass = async (minutes: number): Promise<void> => {
    world.clock.advance({ minutes })
    await world.settle()
  }
  world.simulator.answerHtml(502, { times: 2 })
  await outbox.send(first, 'One')
  await outbox.send(second, 'Two')
  await outbox.send(third, 'Three')
  await world.settle()
  await pass(10)
  expect(await titles(world)).toEqual([])
  await pass(1)
  expect(await notices(world, 'admin')).toMatchObject([
    {
      severity: 'warning',
      title: '2 messages were not confirmed by WhatsApp',
      body: expect.stringContaining('2 of people and programs, 0 of campaigns, 0 of the chatbot'),
    },
  ])
  expect(await notices(world, 'manager')).toHaveLength(1)
  expect(await notices(world, 'agent')).toEqual([])
  expect(await notices(world, 'admin', world.other)).toEqual([])

  world.simulator.answerHtml()
  await outbox.send(first, 'Four')
  await world.settle()
  await pass(11)
  await pass(10)
  expect(await titles(world)).toHaveLength(1)
  await pass(30)
  await pass(10)
  expect(await titles(world)).toEqual([
    '3 messages were not confirmed by WhatsApp',
    '2 messages were not confirmed by WhatsApp',
  ])
  await pass(300)
  expect(await titles(world)).toHaveLength(2)

  await pass(20 * 60)
  world.simulator.answerHtml()
  await deliver(world, textTo(world, 'Hello again'))
  const { data } = await (
    await world.as('admin')
  ).get('/api/contacts?sort=created_at&order=desc&limit=1')
  await outbox.send((data['items'] as Loose[])[0] ?? {}, 'Five')
  await world.settle()
  await pass(10)
  await pass(1)
  expect((await titles(world))[0]).toBe('1 message was not confirmed by WhatsApp')
})

test('a message whose status arrives before the notice is not counted, and one alone is a notice', async () => {
  await using outbox = await Outbox.open()
  const { world } = outbox
  const [contact = {}] = await outbox.contacts(1)
  world.simulator.hold()
  world.simulator.loseAnswer()
  const id = await outbox.send(contact, 'One')
  await world.work()
  world.clock.advance({ minutes: 10 })
  await world.work()
  expect((await outbox.read(id))['status']).toBe('unknown')
  world.simulator.release()
  await world.settle()
  expect((await outbox.read(id))['status']).toBe('delivered')
  world.clock.advance({ minutes: 2 })
  await world.settle()
  expect(await titles(world)).toEqual([])
  world.simulator.answerHtml()
  await outbox.send(contact, 'Two')
  await world.settle()
  world.clock.advance({ minutes: 10 })
  await world.settle()
  world.clock.advance({ minutes: 1 })
  await world.settle()
  expect(await titles(world)).toEqual(['1 message was not confirmed by WhatsApp'])
})

test('messages of a campaign are counted, and are never sent again', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  world.simulator.answerHtml(502, { times: 2 })
  const id = await fixture.draftFor(3)
  await fixture.do(id, 'start')
  await fixture.run(id, { seconds: 5 })
  expect(world.simulator.messages).toHaveLength(1)
  for (const minutes of [2, 8, 1, 60]) {
    world.clock.advance({ minutes })
    await world.settle()
  }
  expect(world.simulator.callsOf({ route: 'messages' })).toHaveLength(3)
  expect(await notices(world, 'admin')).toMatchObject([
    { body: expect.stringContaining('0 of people and programs, 2 of campaigns, 0 of the chatbot') },
  ])
})
