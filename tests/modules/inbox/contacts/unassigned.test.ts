import { expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { Desk, pathOf } from '../../../support/transfers'
import type { Frame } from '../../../support/socket'

/** Returns what an agent learns of the only customer: a read, lists, the folder and its count. */
async function seenBy(desk: Desk, agent: Client): Promise<unknown[]> {
  const path = await desk.inbox.contactPath(0)
  const total = async (of: string): Promise<unknown> => (await agent.get(of)).data['total']
  const counts = (await agent.get('/api/conversations/counts')).data
  return [
    (await agent.get(path)).status,
    await total('/api/contacts'),
    await total('/api/conversations?assigned_to=none'),
    counts['unassigned'],
    ((await agent.get('/api/messages/search?q=text')).data['items'] as Loose[]).length,
  ]
}

const ALL = [200, 1, 1, 1, 1]
const NONE = [404, 0, 0, 0, 0]

const visibilities = (frames: Frame[]): unknown[] =>
  frames
    .filter(({ type }) => type === 'contact:updated')
    .map(({ payload }) => payload['visible'] as unknown)

test('agents see a customer whom nobody has, until somebody has them, and again afterwards', async () => {
  await using desk = await Desk.create(1, { agentsSeeUnassigned: true })
  const { world } = desk
  const agent = await world.as('agent')
  const socket = await world.socket('agent')
  expect(await seenBy(desk, agent)).toEqual(ALL)
  const colleague = world.tenant.userIds.manager

  const path = `${await desk.inbox.contactPath(0)}/assign`
  const told = async (): Promise<unknown> => visibilities(await socket.caughtUp()).at(-1)
  await desk.manager.put(path, { user_id: colleague })
  expect([await seenBy(desk, agent), await told()]).toEqual([NONE, false])
  await desk.manager.put(path, { user_id: null })
  expect([await seenBy(desk, agent), await told()]).toEqual([ALL, true])

  const transfer = await desk.transfer(0, { agent_id: colleague })
  expect([await seenBy(desk, agent), await told()]).toEqual([NONE, false])
  await desk.manager.put(pathOf(transfer, 'resume'))
  // Its transfer has ended, and the conversation stays with whom it was given.
  await desk.manager.put(path, { user_id: null })
  expect([await seenBy(desk, agent), await told()]).toEqual([ALL, true])
})

test('an agent who takes a customer whom nobody has goes on to see them', async () => {
  await using desk = await Desk.create(1, { agentsSeeUnassigned: true })
  const agent = await desk.world.as('agent')
  const socket = await desk.world.socket('agent')
  const path = await desk.inbox.path(0)
  expect((await agent.post(`${path}/claim`)).status).toBe(200)
  await desk.inbox.says(0, 'Mine')
  await socket.caughtUp()
  expect((await agent.post(`${path}/release`)).status).toBe(200)
  await desk.inbox.says(0, 'Nobody has me')
  expect(visibilities(await socket.caughtUp())).not.toContain(false)
  const heard = socket.events('message:new').map(({ payload }) => payload['content'].text)
  expect(heard).toEqual(['Mine', 'Nobody has me'])
})

test('a custom role sees such customers only with the permission', async () => {
  await using desk = await Desk.create()
  const person = await desk.agent()
  expect(await seenBy(desk, person.client)).toEqual(NONE)
  person.may('contacts:read', 'messages:read', 'contacts:read_unassigned')
  expect(await seenBy(desk, person.client)).toEqual(ALL)
  person.may('messages:read', 'contacts:read_unassigned')
  expect((await person.client.get(await desk.inbox.contactPath(0))).status).toBe(403)
})
