import { describe, expect, test } from 'bun:test'

import type { Customer } from '../../../../src/simulator/customers'
import type { Client, Loose } from '../../../support/client'
import { secondNumber } from '../../../support/second-number'
import { World } from '../../../support/world'

const SETTINGS = '/api/organizations/settings'

/** What an agent sees: the conversations of the list, and the transfers that wait. */
async function seenBy(agent: Client): Promise<{ conversations: Loose[]; waiting: Loose[] }> {
  const { data: list } = await agent.get('/api/conversations?state=open')
  const { data: transfers } = await agent.get('/api/chatbot/transfers?status=active')
  return {
    conversations: list['items'] as Loose[],
    waiting: transfers['transfers'] as Loose[],
  }
}

async function worldWithCustomer(): Promise<{ world: World; ana: Customer }> {
  const world = await World.create({ newConversations: 'general' })
  const ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
  return { world, ana }
}

describe('a new conversation', () => {
  test('waits in the general queue of a new organization, where agents see and claim it', async () => {
    const { world, ana } = await worldWithCustomer()
    const agent = await world.as('agent')
    await ana.says('Are you open?')
    await world.settle()
    const { conversations, waiting } = await seenBy(agent)
    expect(conversations).toMatchObject([
      { contact: { display_name: 'Ana Sol' }, assigned_to: null, team_id: null },
    ])
    expect(waiting).toMatchObject([
      { source: 'new_conversation', status: 'active', agent_id: null, team_id: null },
    ])
    await agent.post(`/api/conversations/${String(conversations[0]?.['id'])}/claim`)
    await ana.says('Hello?')
    await world.settle()
    expect((await seenBy(agent)).waiting).toMatchObject([
      { id: waiting[0]?.['id'], agent_id: world.tenant.userIds.agent },
    ])
    await world.stop()
  })

  test('waits again when the customer writes after it was closed', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    await ana.says('Are you open?')
    await world.settle()
    const [first] = (await seenBy(admin)).conversations
    const path = `/api/conversations/${String(first?.['id'])}`
    await admin.put(path, { state: 'closed' })
    expect((await seenBy(admin)).waiting).toEqual([])
    await ana.says('One more thing')
    await world.settle()
    expect((await seenBy(await world.as('agent'))).waiting).toMatchObject([{ agent_id: null }])
    await world.stop()
  })

  test('goes to nobody or to a team if the settings say so', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    const agent = await world.as('agent')
    const { data } = await admin.post('/api/teams', { name: 'Counter' })
    const teamId = String((data['team'] as Loose)['id'])
    await admin.put(SETTINGS, { new_conversations: 'nobody' })
    await ana.says('Are you open?')
    await world.settle()
    expect(await seenBy(agent)).toEqual({ conversations: [], waiting: [] })

    const changed = await admin.put(SETTINGS, { new_conversations: teamId })
    expect((changed.data['settings'] as Loose)['new_conversations']).toBe(teamId)
    await ana.says('Hello?')
    await world.settle()
    expect((await seenBy(admin)).waiting).toMatchObject([{ team_id: teamId }])
    expect((await seenBy(agent)).waiting).toEqual([])
    const join = { user_id: world.tenant.userIds.agent, role: 'agent' }
    await admin.post(`/api/teams/${teamId}/members`, join)
    expect((await seenBy(agent)).conversations).toMatchObject([{ team_id: teamId }])

    const inUse = await admin.delete(`/api/teams/${teamId}`)
    expect([inUse.status, inUse.body.code]).toEqual([409, 'in_use'])
    await admin.delete(`/api/teams/${teamId}?force=true`)
    const { data: now } = await admin.get(SETTINGS)
    expect((now['settings'] as Loose)['new_conversations']).toBe('general')
    await world.stop()
  })

  test('accepts active teams of the organization only', async () => {
    const { world } = await worldWithCustomer()
    const admin = await world.as('admin')
    const { data } = await (await world.as('admin', world.other)).post('/api/teams', { name: 'X' })
    const foreign = String((data['team'] as Loose)['id'])
    const mine = (await admin.post('/api/teams', { name: 'Off', is_active: false })).data
    const inactive = String((mine['team'] as Loose)['id'])
    for (const queue of [foreign, inactive]) {
      const answer = await admin.put(SETTINGS, { new_conversations: queue })
      expect([answer.status, answer.body.code]).toEqual([400, 'team_inactive'])
    }
    for (const queue of ['', 'everybody', null])
      expect((await admin.put(SETTINGS, { new_conversations: queue })).status).toBe(400)
    await world.stop()
  })

  test('does not wait while its contact or it has a person or a team', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    await admin.put(SETTINGS, { new_conversations: 'nobody' })
    await ana.says('Are you open?')
    await world.settle()
    const { data } = await admin.get('/api/contacts')
    const id = String((data['items'] as Loose[])[0]?.['id'])
    await admin.put(`/api/contacts/${id}/assign`, { user_id: world.tenant.userIds.manager })
    await admin.put(SETTINGS, { new_conversations: 'general' })
    await ana.says('Hello?')
    await world.settle()
    expect((await seenBy(admin)).waiting).toEqual([])
    await world.stop()
  })

  test('of a customer who wrote to two numbers waits when the other one is done', async () => {
    const { world } = await worldWithCustomer()
    const second = await secondNumber(world)
    const [admin, agent] = [await world.as('admin'), await world.as('agent')]
    const person = { waId: '15550177001', userId: 'US.177001' }
    const here = world.simulator.customer({ phone: world.tenant.phoneId, ...person })
    const there = world.simulator.customer({ phone: second.phoneNumberId, ...person })
    const end = async (): Promise<void> => {
      const [{ id } = {}] = (await seenBy(admin)).waiting
      await admin.put(`/api/chatbot/transfers/${String(id)}/resume`, {})
    }
    const waitingAt = async (): Promise<unknown[]> =>
      (await seenBy(agent)).waiting.map(({ account_id: id }) => id)
    await here.says('Where is my order?')
    await there.says('Do you hear me here?')
    await world.settle()
    expect(await waitingAt()).toEqual([world.tenant.accountId])
    await end()
    expect(await waitingAt()).toEqual([second.accountId])
    expect((await seenBy(agent)).conversations).toMatchObject([{ account_id: second.accountId }])
    await end()
    expect(await waitingAt()).toEqual([])
    const both = async (text: string): Promise<void> => {
      await here.says(text)
      await there.says(text)
      await world.settle()
    }
    // Who has been answered does not wait.
    await both('Hello?')
    const { conversations } = await seenBy(admin)
    const other = conversations.find(({ account_id: id }) => id === second.accountId) ?? {}
    const answer = { type: 'text', text: 'Yes', account_id: second.accountId }
    const { id: contactId } = other['contact'] as { id: string }
    expect((await admin.post(`/api/contacts/${contactId}/messages`, answer)).status).toBe(201)
    await admin.put(`/api/conversations/${String(other['id'])}/owner`, { to: 'nobody' })
    await end()
    expect(await waitingAt()).toEqual([])
    // On a number that is gone nobody can be answered.
    await both('Hello again?')
    await admin.delete(`/api/accounts/${second.accountId}`)
    await end()
    expect(await waitingAt()).toEqual([])
    await world.stop()
  })

  test('waits for a person only once the bot passes on it', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    const bot = { chatbot_enabled: true, fallback_message: 'I did not understand.' }
    expect((await admin.put('/api/chatbot/settings', bot)).status).toBe(200)
    await ana.says('Are you open?')
    await world.settle()
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect((await seenBy(admin)).waiting).toEqual([])
    await admin.put('/api/chatbot/settings', { chatbot_enabled: false, disabled_action: 'none' })
    await ana.says('Hello?')
    await world.settle()
    expect((await seenBy(admin)).waiting).toMatchObject([{ source: 'new_conversation' }])
    await world.stop()
  })

  test('waits for a person when the bot ends without an answer', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    const bot = { chatbot_enabled: true, session_timeout_minutes: 30 }
    expect((await admin.put('/api/chatbot/settings', bot)).status).toBe(200)
    await ana.says('Are you open?')
    await world.settle()
    world.clock.advance({ hours: 2 })
    await world.settle()
    expect((await seenBy(await world.as('admin'))).waiting).toMatchObject([
      { source: 'new_conversation' },
    ])
    await world.stop()
  })

  test('waits after a call that nobody answered, and not after a word to opt out', async () => {
    const { world, ana } = await worldWithCustomer()
    const admin = await world.as('admin')
    await ana.says('STOP')
    await world.settle()
    expect((await seenBy(admin)).waiting).toEqual([])
    const call = await ana.calls()
    await call.ends(0)
    await world.settle()
    expect((await seenBy(admin)).waiting).toMatchObject([{ source: 'new_conversation' }])
    await world.stop()
  })
})
