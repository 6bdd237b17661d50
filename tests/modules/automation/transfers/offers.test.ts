import { describe, expect, test } from 'bun:test'

import { personWith } from '../../../support/people'
import { Desk, pathOf, TAKES_TRANSFERS } from '../../../support/transfers'

describe('what waits is offered to colleagues', () => {
  test('when its agent goes away or is removed, also if nobody may pick up', async () => {
    await using desk = await Desk.create(2)
    const [away, removed, colleague] = [await desk.agent(), await desk.agent(), await desk.agent()]
    const team = await desk.team([away, removed])
    const transfers = [
      await desk.transfer(0, { team_id: team, agent_id: away.userId }),
      await desk.transfer(1, { team_id: team, agent_id: removed.userId }),
    ]
    await desk.settings({ allow_agent_queue_pickup: false })
    const admin = await desk.world.as('admin')
    await admin.post(`/api/teams/${team}/members`, { user_id: colleague.userId })
    await admin.delete(`/api/users/${removed.userId}`)
    await away.client.put('/api/me/availability', { is_available: false })
    await desk.world.settle()
    for (const transfer of transfers)
      expect(await desk.of(transfer)).toMatchObject({
        agent_id: colleague.userId,
        transferred_at: transfer['transferred_at'],
      })
  })

  test('in parts, when an agent with many goes away', async () => {
    await using desk = await Desk.create(0)
    const agents = [await desk.agent(), await desk.agent()] as const
    const team = await desk.team([...agents])
    for (let nth = 0; nth < 50; nth += 1) {
      const { data } = await desk.manager.post('/api/contacts', {
        phone_number: `155520${20_000 + nth}`,
      })
      await desk.manager.post('/api/chatbot/transfers', {
        contact_id: data['id'],
        account_id: desk.world.tenant.accountId,
        team_id: team,
        agent_id: agents[0].userId,
      })
    }
    await agents[0].client.put('/api/me/availability', { is_available: false })
    await desk.world.settle()
    const { data } = await desk.manager.get(
      `/api/chatbot/transfers?status=active&agent_id=${agents[1].userId}`,
    )
    expect(data['total']).toBe(50)
  })

  test('when its agent gives it back, and never to the same agent again', async () => {
    await using desk = await Desk.create(2)
    const [agent, colleague] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([agent, colleague])
    const given = await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    const taken = await desk.transfer(1, { team_id: team, agent_id: agent.userId })
    await agent.client.put(pathOf(given, 'assign'), { agent_id: null })
    const supervisor = await desk.supervisor()
    await supervisor.client.put(pathOf(taken, 'assign'), { agent_id: null })
    await desk.world.settle()
    expect((await desk.of(given))['agent_id']).toBe(colleague.userId)
    expect((await desk.of(taken))['agent_id']).toBe(colleague.userId)
    await colleague.client.post(`${await desk.inbox.path(1)}/release`)
    await desk.world.settle()
    expect((await desk.of(taken))['agent_id']).toBeNull()
  })
})

describe('what waits is offered to an agent', () => {
  test('whose other transfer is moved away or given back', async () => {
    await using desk = await Desk.create(3)
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([agent], { max_active_per_agent: 1 })
    const [first, second, third] = [
      await desk.transfer(0, { team_id: team }),
      await desk.transfer(1, { team_id: team }),
      await desk.transfer(2, { team_id: team }),
    ]
    const holders = async () => [
      (await desk.of(first))['agent_id'],
      (await desk.of(second))['agent_id'],
      (await desk.of(third))['agent_id'],
    ]
    expect(await holders()).toEqual([agent.userId, null, null])
    const supervisor = await desk.supervisor()
    await supervisor.client.put(pathOf(first, 'assign'), { agent_id: other.userId })
    await desk.world.settle()
    expect(await holders()).toEqual([other.userId, agent.userId, null])
    await agent.client.put(pathOf(second, 'assign'), { agent_id: null })
    await desk.world.settle()
    expect(await holders()).toEqual([other.userId, null, agent.userId])
  })

  test('who may have more now', async () => {
    await using desk = await Desk.create(2)
    await desk.settings({ agent_max_active_transfers: 1 })
    const agent = await desk.agent()
    const team = await desk.team([agent])
    await desk.transfer(0, { team_id: team })
    const second = await desk.transfer(1, { team_id: team })
    expect(second['agent_id']).toBeNull()
    await desk.settings({ agent_max_active_transfers: null })
    await desk.world.settle()
    expect((await desk.of(second))['agent_id']).toBe(agent.userId)
  })
})

describe('a person whose role does not let them work on transfers', () => {
  test('is given none', async () => {
    await using desk = await Desk.create(2)
    const reader = await personWith(desk.world, ['contacts:read'])
    const team = await desk.team([reader])
    const waiting = await desk.transfer(0, { team_id: team })
    expect(waiting['agent_id']).toBeNull()
    const named = { agent_id: reader.userId }
    for (const { status, body } of [
      await desk.tryTransfer(1, named),
      await desk.manager.put(pathOf(waiting, 'assign'), named),
    ])
      expect([status, body.code]).toEqual([400, 'agent_unavailable'])
    await desk.manager.put(`${await desk.inbox.contactPath(1)}/assign`, { user_id: reader.userId })
    expect((await desk.transfer(1))['agent_id']).toBeNull()
  })

  test('gives back those they have when they get this role, until they get another one', async () => {
    await using desk = await Desk.create(2)
    const [agent, colleague] = [await desk.agent(), await desk.agent()]
    const reader = await personWith(desk.world, ['contacts:read'])
    const team = await desk.team([colleague])
    const inTeam = await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    const admin = await desk.world.as('admin')
    await admin.put(`/api/users/${agent.userId}`, { role_id: reader.roleId })
    await desk.world.settle()
    expect((await desk.of(inTeam))['agent_id']).toBe(colleague.userId)
    await colleague.client.put('/api/me/availability', { is_available: false })
    await admin.post(`/api/teams/${team}/members`, { user_id: agent.userId })
    await desk.world.settle()
    expect((await desk.of(inTeam))['agent_id']).toBeNull()
    await admin.put(`/api/users/${agent.userId}`, { role_id: agent.roleId })
    await desk.world.settle()
    expect((await desk.of(inTeam))['agent_id']).toBe(agent.userId)
  })

  test('gives back those they have when the role changes, and is offered them again', async () => {
    await using desk = await Desk.create(2)
    const agent = await desk.agent()
    const team = await desk.team([agent])
    const [inTeam, general] = [
      await desk.transfer(0, { team_id: team }),
      await desk.transfer(1, { agent_id: agent.userId }),
    ]
    const admin = await desk.world.as('admin')
    const may = async (permissions: string[]): Promise<unknown[]> => {
      await admin.put(`/api/roles/${agent.roleId}`, { permissions })
      await desk.world.settle()
      return [(await desk.of(inTeam))['agent_id'], (await desk.of(general))['agent_id']]
    }
    expect(await may([...TAKES_TRANSFERS, 'tags:read'])).toEqual([agent.userId, agent.userId])
    expect(await may(['contacts:read'])).toEqual([null, null])
    expect(await may(TAKES_TRANSFERS)).toEqual([agent.userId, null])
  })
})
