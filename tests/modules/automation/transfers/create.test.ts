import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { NOBODY } from '../../../support/routes'
import { Desk, pathOf } from '../../../support/transfers'

describe('transferring a contact', () => {
  test('puts it in the general queue and opens its conversation', async () => {
    await using desk = await Desk.create()
    const { world, manager, inbox } = desk
    await manager.put(await inbox.path(0), { state: 'closed' })
    const { status, data } = await desk.tryTransfer(0, { notes: 'Refund', priority: 3 })
    expect([status, data['message']]).toEqual([201, 'The contact was transferred.'])
    const conversation = await inbox.of(0)
    const contact = conversation['contact'] as Loose
    expect(data['transfer']).toEqual({
      id: expect.any(String),
      contact_id: contact['id'],
      contact_name: contact['display_name'],
      phone_number: contact['phone_number'],
      account_id: world.tenant.accountId,
      status: 'active',
      source: 'manual',
      priority: 3,
      agent_id: null,
      agent_name: null,
      team_id: null,
      team_name: null,
      transferred_by: world.tenant.userIds.manager,
      transferred_by_name: 'Acme manager',
      notes: 'Refund',
      transferred_at: '2026-11-21T09:31:00.000Z',
      picked_up_at: null,
      first_response_at: null,
      resumed_at: null,
      resumed_by: null,
      resumed_by_name: null,
      sla_response_deadline: null,
      sla_resolution_deadline: null,
      sla_breached: false,
      sla_breached_at: null,
      escalation_level: 0,
      escalated_at: null,
      expires_at: null,
    })
    expect(conversation).toMatchObject({ state: 'open', assigned_to: null })
    const details = (await manager.get(pathOf(data['transfer'] as Loose))).data
    expect(details['history']).toEqual([
      {
        at: '2026-11-21T09:31:00.000Z',
        kind: 'created',
        by: world.tenant.userIds.manager,
        by_name: 'Acme manager',
        agent_id: null,
        agent_name: null,
        team_id: null,
        team_name: null,
        details: { source: 'manual' },
      },
    ])
  })

  test('by an API key has the source api', async () => {
    await using desk = await Desk.create()
    const key = await keyOf(desk.world)
    expect(await desk.transfer(0, {}, key.client)).toMatchObject({ source: 'api' })
  })

  test('gives it to the named person', async () => {
    await using desk = await Desk.create()
    const { world } = desk
    const agentId = world.tenant.userIds.agent
    expect(await desk.transfer(0, { agent_id: agentId })).toMatchObject({
      agent_id: agentId,
      agent_name: 'Acme agent',
      picked_up_at: '2026-11-21T09:31:00.000Z',
    })
    expect(await desk.inbox.of(0)).toMatchObject({ state: 'open', assigned_to: agentId })
    const { data } = await (await world.as('agent')).get('/api/me/notifications')
    expect(data['items']).toMatchObject([
      { kind: 'assigned', body: 'Acme manager assigned it to you.' },
    ])
  })

  test('creates one transfer of 50 concurrent ones and names it to the others', async () => {
    await using desk = await Desk.create()
    const contactId = await desk.contactId()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        desk.manager.post('/api/chatbot/transfers', { contact_id: contactId }),
      ),
    )
    const [created] = answers.filter(({ status }) => status === 201)
    const id = ((created?.data ?? {})['transfer'] as Loose)['id']
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(49)
    for (const { body } of refused)
      expect(body).toMatchObject({ code: 'transfer_active', details: { transfer_id: id } })
    const { data } = await desk.manager.get('/api/chatbot/transfers')
    expect(data['total']).toBe(1)
  })

  test.each<[what: string, body: Loose, status: number, code: string]>([
    ['an unknown contact', { contact_id: NOBODY }, 404, 'not_found'],
    ['an unknown team', { team_id: NOBODY }, 400, 'invalid_input'],
    ['an unknown account', { account_id: NOBODY }, 400, 'invalid_input'],
    ['an unknown person', { agent_id: NOBODY }, 400, 'not_a_member'],
    ['a priority of 10', { priority: 10 }, 400, 'invalid_input'],
    ['a priority of 1.5', { priority: 1.5 }, 400, 'invalid_input'],
    ['too long notes', { notes: 'x'.repeat(4_097) }, 400, 'invalid_input'],
  ])('rejects %s', async (_what, body, status, code) => {
    await using desk = await Desk.create()
    const answer = await desk.tryTransfer(0, body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('rejects an inactive team, and a person who is away or at capacity', async () => {
    await using desk = await Desk.create(3)
    const { world } = desk
    const team = await desk.team([], { is_active: false })
    expect((await desk.tryTransfer(0, { team_id: team })).body.code).toBe('team_inactive')
    const agentId = world.tenant.userIds.agent
    const agent = await world.as('agent')
    await agent.put('/api/me/availability', { is_available: false })
    expect((await desk.tryTransfer(0, { agent_id: agentId })).body.code).toBe('agent_unavailable')
    await agent.put('/api/me/availability', { is_available: true })
    await desk.settings({ agent_max_active_transfers: 1 })
    await desk.transfer(0, { agent_id: agentId })
    expect((await desk.tryTransfer(1, { agent_id: agentId })).body.code).toBe('agent_at_capacity')
  })
})
