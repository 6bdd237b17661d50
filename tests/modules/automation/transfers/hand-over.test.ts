import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { TAKES_TRANSFERS } from '../../../support/transfers'
import { World } from '../../../support/world'

let world: World
let admin: Client
let agent: Client
let colleague: OwnRole
let teamId: string
let path: string
let customers = 0

beforeAll(async () => {
  world = await World.create({ newConversations: 'general' })
  admin = await world.as('admin')
  agent = await world.as('agent')
  colleague = await personWith(world, TAKES_TRANSFERS)
  const { data } = await admin.post('/api/teams', { name: 'Returns' })
  teamId = String((data['team'] as Loose)['id'])
  await admin.post(`/api/teams/${teamId}/members`, { user_id: colleague.userId, role: 'agent' })
})

afterAll(() => world.stop())

/** A new customer has written, whom the agent has taken. */
beforeEach(async () => {
  customers += 1
  const waId = `1555020${String(customers).padStart(4, '0')}`
  await world.simulator.customer({ phone: world.tenant.phoneId, waId }).says('Hello')
  await world.settle()
  const { data } = await agent.get('/api/conversations?limit=1')
  path = `/api/conversations/${String((data['items'] as Loose[])[0]?.['id'])}`
  const taken = await agent.put(`${path}/owner`, { to: 'user', id: world.tenant.userIds.agent })
  expect([taken.status, taken.data['assigned_to']]).toEqual([200, world.tenant.userIds.agent])
})

const ownerOf = async (): Promise<Loose> => {
  const { data } = await admin.get(`${path}`)
  const { assigned_to, team_id, transfer } = data
  return { assigned_to, team_id, agent: (transfer as Loose | null)?.['agent_id'] }
}

describe('an agent hands over a conversation', () => {
  test('to a colleague, who sees and reads the note and is told', async () => {
    const answer = await agent.put(`${path}/owner`, {
      to: 'user',
      id: colleague.userId,
      note: 'Asks for a refund',
    })
    expect([answer.status, answer.data['assigned_to']]).toEqual([200, colleague.userId])
    expect(await ownerOf()).toMatchObject({ agent: colleague.userId })
    const seen = (await colleague.client.get(path)).data
    const contactId = String((seen['contact'] as Loose)['id'])
    const { data: notes } = await colleague.client.get(`/api/contacts/${contactId}/notes`)
    expect(notes['items']).toMatchObject([{ content: 'Asks for a refund' }])
    const { data: told } = await colleague.client.get('/api/me/notifications')
    expect((told['items'] as Loose[]).map(({ kind }) => kind)).toContain('assigned')
  })

  test('to a team, which gives it to a member', async () => {
    expect((await agent.put(`${path}/owner`, { to: 'team', id: teamId })).status).toBe(200)
    expect(await ownerOf()).toEqual({
      assigned_to: colleague.userId,
      team_id: teamId,
      agent: colleague.userId,
    })
  })

  test('to the general queue, where it waits', async () => {
    expect((await agent.put(`${path}/owner`, { to: 'queue' })).status).toBe(200)
    expect(await ownerOf()).toEqual({ assigned_to: null, team_id: null, agent: null })
  })

  test('without a transfer, so that one begins', async () => {
    await admin.put(path, { state: 'closed' })
    await admin.put(path, { state: 'open' })
    await admin.put(`${path}/assign`, { user_id: world.tenant.userIds.agent })
    expect((await ownerOf())['agent']).toBeUndefined()
    expect((await agent.put(`${path}/owner`, { to: 'queue' })).status).toBe(200)
    expect(await ownerOf()).toEqual({ assigned_to: null, team_id: null, agent: null })
  })

  test('only if it is theirs or nobody’s', async () => {
    await admin.put(`${path}/assign`, { user_id: world.tenant.userIds.manager })
    const { data } = await admin.get(path)
    const contactId = String((data['contact'] as Loose)['id'])
    await admin.put(`/api/contacts/${contactId}/assign`, { user_id: world.tenant.userIds.agent })
    await admin.put(`${path}/assign`, { user_id: world.tenant.userIds.manager })
    for (const to of [{ to: 'queue' }, { to: 'user', id: colleague.userId }, { to: 'nobody' }]) {
      const answer = await agent.put(`${path}/owner`, to)
      expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    }
    const taken = await agent.put(`${path}/owner`, {
      to: 'user',
      id: world.tenant.userIds.agent,
    })
    expect([taken.status, taken.body.code]).toEqual([409, 'already_assigned'])
    expect((await admin.put(`${path}/owner`, { to: 'nobody' })).status).toBe(200)
    expect((await ownerOf())['assigned_to']).toBeNull()
  })

  test('not to strangers, and writes no note then', async () => {
    const foreign = world.other.userIds.agent
    for (const to of [
      { to: 'user', id: foreign, note: 'x' },
      { to: 'team', id: foreign, note: 'x' },
      { to: 'user', note: 'x' },
      { to: 'team', note: 'x' },
    ])
      expect((await agent.put(`${path}/owner`, to)).status).toBe(400)
    const { data } = await agent.get(path)
    const contactId = String((data['contact'] as Loose)['id'])
    const { data: notes } = await agent.get(`/api/contacts/${contactId}/notes`)
    expect(notes['items']).toEqual([])
  })

  test('to any active team, of which it can list the names', async () => {
    const own = (await agent.get('/api/teams')).data
    const all = (await agent.get('/api/teams?for=hand_over')).data
    expect([own['items'], (all['items'] as Loose[]).map(({ name }) => name)]).toEqual([
      [],
      ['Returns'],
    ])
  })
})
