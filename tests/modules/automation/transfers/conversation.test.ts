import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Desk, pathOf } from '../../../support/transfers'

const IN_TWO_HOURS = '2026-11-21T11:31:00.000Z'

describe('a transfer and its conversation are one thing', () => {
  test('claiming the conversation picks up the transfer', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    const agent = await desk.agent()
    expect((await agent.client.post(`${await desk.inbox.path(0)}/claim`)).status).toBe(200)
    expect(await desk.of(transfer)).toMatchObject({
      agent_id: agent.userId,
      picked_up_at: '2026-11-21T09:31:00.000Z',
      history: [{ kind: 'created' }, { kind: 'picked_up', by: agent.userId }],
    })
  })

  test('claiming obeys the settings and capacity like a pickup', async () => {
    await using desk = await Desk.create(2)
    const [first, second] = [await desk.transfer(0), await desk.transfer(1)]
    const agent = await desk.agent()
    const claim = async (nth: number) =>
      (await agent.client.post(`${await desk.inbox.path(nth)}/claim`)).body.code
    await desk.settings({ allow_agent_queue_pickup: false })
    expect(await claim(0)).toBe('pickup_disabled')
    await desk.settings({ allow_agent_queue_pickup: true, agent_max_active_transfers: 1 })
    expect([await claim(0), await claim(1)]).toEqual([undefined, 'at_capacity'])
    expect([(await desk.of(first))['agent_id'], (await desk.of(second))['agent_id']]).toEqual([
      agent.userId,
      null,
    ])
  })

  test('picking up the transfer assigns the conversation', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    const agent = await desk.agent()
    const { status, data } = await agent.client.post(pathOf(transfer, 'pickup'))
    expect([status, (data['transfer'] as Loose)['agent_id']]).toEqual([200, agent.userId])
    expect(await desk.inbox.of(0)).toMatchObject({ assigned_to: agent.userId, state: 'open' })
  })

  test('releasing the conversation returns the transfer to its queue', async () => {
    await using desk = await Desk.create()
    const agent = await desk.agent()
    const team = await desk.team([agent], { assignment_strategy: 'manual' })
    const transfer = await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    const { status, data } = await agent.client.post(`${await desk.inbox.path(0)}/release`)
    expect([status, data['assigned_to'], data['team_id']]).toEqual([200, null, team])
    expect(await desk.of(transfer)).toMatchObject({
      status: 'active',
      agent_id: null,
      team_id: team,
      picked_up_at: null,
    })
  })

  test('assigning the conversation or the contact moves the transfer', async () => {
    await using desk = await Desk.create()
    const { world, manager, inbox } = desk
    const { agent: agentId, manager: managerId } = world.tenant.userIds
    const team = await desk.team()
    const transfer = await desk.transfer()
    await manager.put(`${await inbox.path(0)}/assign`, { user_id: agentId })
    expect(await desk.of(transfer)).toMatchObject({ agent_id: agentId, team_id: null })
    await manager.put(`${await inbox.path(0)}/assign`, { user_id: null, team_id: team })
    expect(await desk.of(transfer)).toMatchObject({ agent_id: null, team_id: team })
    await manager.put(`${await inbox.contactPath(0)}/assign`, { user_id: managerId })
    expect(await desk.of(transfer)).toMatchObject({ agent_id: managerId, team_id: team })
    await manager.post('/api/contacts/bulk', {
      contact_ids: [transfer['contact_id']],
      action: 'assign',
      value: agentId,
    })
    await world.settle()
    expect(await desk.of(transfer)).toMatchObject({ agent_id: agentId, team_id: team })
    expect(await inbox.of(0)).toMatchObject({ assigned_to: agentId, team_id: team })
  })

  test('closing the conversation by its agent ends the transfer', async () => {
    await using desk = await Desk.create()
    const agent = await desk.agent()
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    expect((await agent.client.put(await desk.inbox.path(0), { state: 'closed' })).status).toBe(200)
    expect(await desk.of(transfer)).toMatchObject({
      status: 'resumed',
      resumed_by: agent.userId,
      resumed_at: '2026-11-21T09:31:00.000Z',
    })
    expect(await desk.inbox.of(0)).toMatchObject({ state: 'closed' })
  })

  test('only its agent, or who could take a waiting one, may close the conversation', async () => {
    await using desk = await Desk.create()
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([agent], { assignment_strategy: 'manual' })
    const transfer = await desk.transfer(0, { team_id: team })
    await desk.manager.put(`${await desk.inbox.contactPath(0)}/assign`, {
      user_id: other.userId,
    })
    await desk.manager.put(pathOf(transfer, 'assign'), { agent_id: agent.userId })
    const path = await desk.inbox.path(0)
    const refused = await other.client.put(path, { state: 'closed' })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'This transfer is assigned to Own Role. Changing it requires the permission `transfers:assign`.',
    ])
    await desk.manager.put(pathOf(transfer, 'assign'), { agent_id: null })
    expect((await other.client.put(path, { state: 'closed' })).status).toBe(403)
    expect((await agent.client.put(path, { state: 'closed' })).status).toBe(200)
    expect(await desk.of(transfer)).toMatchObject({ status: 'resumed' })
  })

  test('ending the transfer closes the conversation and leaves it to the contact’s owner', async () => {
    await using desk = await Desk.create()
    const { manager, inbox, world } = desk
    const agent = await desk.agent()
    const team = await desk.team()
    const first = await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    const { status, data } = await agent.client.put(pathOf(first, 'resume'), { notes: 'Done' })
    expect([status, data['transfer']]).toMatchObject([200, { status: 'resumed', notes: 'Done' }])
    expect(await inbox.of(0)).toMatchObject({ state: 'closed', assigned_to: null, team_id: null })
    const ownerId = world.tenant.userIds.agent
    await manager.put(`${await inbox.contactPath(0)}/assign`, { user_id: ownerId })
    const second = await desk.transfer(0, { agent_id: agent.userId })
    await manager.put(pathOf(second, 'resume'))
    expect(await inbox.of(0)).toMatchObject({ state: 'closed', assigned_to: ownerId })
    const contact = (await manager.get(await inbox.contactPath(0))).data
    expect(contact['assigned_to']).toBe(ownerId)
  })

  test('an ended transfer never changes again', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    await desk.manager.put(pathOf(transfer, 'resume'))
    for (const [verb, body] of [
      ['resume', {}],
      ['assign', { agent_id: null }],
      ['', { priority: 1 }],
    ] as const)
      expect((await desk.manager.put(pathOf(transfer, verb), body)).body.code).toBe(
        'transfer_ended',
      )
    expect((await desk.manager.post(pathOf(transfer, 'pickup'))).body.code).toBe('transfer_ended')
  })

  test('refuses `pending`, which belongs to the bot', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    const { status, body } = await desk.manager.put(await desk.inbox.path(0), { state: 'pending' })
    expect([status, body.code, body['details']]).toEqual([
      409,
      'transfer_active',
      { transfer_id: transfer['id'] },
    ])
  })

  test('a snooze keeps the transfer and stops the clocks until the customer writes', async () => {
    await using desk = await Desk.create()
    await desk.settings({ sla_enabled: true, sla_response_minutes: 30, sla_resolution_minutes: 60 })
    const agent = await desk.agent()
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    expect(transfer).toMatchObject({
      sla_response_deadline: '2026-11-21T10:01:00.000Z',
      sla_resolution_deadline: '2026-11-21T10:31:00.000Z',
    })
    const path = await desk.inbox.path(0)
    await agent.client.post(`${path}/snooze`, { until: IN_TWO_HOURS })
    await desk.inbox.passes({ minutes: 100 })
    expect(await desk.of(transfer)).toMatchObject({ status: 'active', sla_breached: false })
    await desk.inbox.says(0, 'Are you there?')
    expect(await desk.inbox.of(0)).toMatchObject({ state: 'open', assigned_to: agent.userId })
    expect(await desk.of(transfer)).toMatchObject({
      sla_response_deadline: '2026-11-21T11:41:00.000Z',
      sla_resolution_deadline: '2026-11-21T12:11:00.000Z',
    })
  })

  test('a conversation on another number opens unassigned in the same queue', async () => {
    await using desk = await Desk.create()
    const { world, manager } = desk
    const agent = await desk.agent()
    const team = await desk.team()
    world.simulator.addPhone({
      id: '900100200300',
      wabaId: world.tenant.wabaId,
      token: world.tenant.token,
      displayPhoneNumber: '+1 555-010-0009',
      verifiedName: 'Second',
    })
    const admin = await world.as('admin')
    const { data } = await admin.post('/api/accounts', {
      name: 'Second',
      phone_id: '900100200300',
      business_id: world.tenant.wabaId,
      access_token: world.tenant.token,
    })
    await manager.put(`${await desk.inbox.contactPath(0)}/assign`, { user_id: agent.userId })
    await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    const opened = await manager.post('/api/conversations', {
      contact_id: await desk.contactId(),
      account_id: data['id'],
    })
    expect([opened.status, opened.data]).toMatchObject([
      201,
      { assigned_to: null, team_id: team, state: 'open' },
    ])
  })
})
