import { describe, expect, test } from 'bun:test'

import { HOUR_MS } from '../../../../src/lib/clock'
import type { Client, Loose } from '../../../support/client'
import { Inbox, SEES_ALL, SEES_OWN } from '../../../support/inbox'
import { secondNumber } from '../../../support/second-number'
import { Desk } from '../../../support/transfers'

/** Returns the previews of a list, newest first, and its number in the counts. */
async function folder(client: Client, query: string, name: string): Promise<unknown[]> {
  const { data } = await client.get(`/api/conversations?state=open&${query}`)
  const counts = (await client.get('/api/conversations/counts')).data
  const items = data['items'] as Loose[]
  expect(data['total']).toBe(items.length)
  expect((counts['folders'] as Loose)[name]).toBe(items.length)
  return items.map(({ last_message: last }) => (last as Loose)['preview'])
}

const waiting = (client: Client): Promise<unknown[]> => folder(client, 'waiting=mine', 'waiting')
const mentions = (client: Client): Promise<unknown[]> => folder(client, 'mentioned=me', 'mentioned')

describe('the folder of those who wait', () => {
  test('has the queues from which the caller can take, until somebody does', async () => {
    await using desk = await Desk.create(4)
    const [one, other, leader] = [await desk.agent(), await desk.agent(), await desk.supervisor()]
    const own = await desk.team([one], { assignment_strategy: 'manual' })
    await desk.transfer(0, { team_id: own })
    await desk.transfer(1)
    await desk.transfer(2, { agent_id: one.userId })
    expect(await waiting(one.client)).toEqual(['Text 1', 'Text 0'])
    expect(await waiting(other.client)).toEqual(['Text 1'])
    expect(await waiting(leader.client)).toEqual(['Text 1', 'Text 0'])
    const stranger = await desk.inbox.colleague(...SEES_ALL)
    expect((await stranger.client.get('/api/conversations')).data['total']).toBe(4)
    expect(await waiting(stranger.client)).toEqual(['Text 1'])
    const closed = (await one.client.get('/api/conversations/counts?state=closed')).data
    expect(closed['folders']).toMatchObject({ waiting: 0 })
    await one.client.post(`${await desk.inbox.path(1)}/claim`)
    expect(await waiting(one.client)).toEqual(['Text 0'])
    expect(await waiting(other.client)).toEqual([])
    const { data } = await one.client.get(`/api/conversations?waiting=mine&team_id=${own}`)
    expect(data['total']).toBe(1)
  })

  test('is empty for who takes from no queue, and for another organization', async () => {
    await using desk = await Desk.create(1)
    await desk.transfer(0)
    const reader = await desk.inbox.colleague('contacts:read', 'contacts:read_all', 'messages:read')
    expect(await waiting(reader.client)).toEqual([])
    expect(await waiting(await desk.world.as('admin', desk.world.other))).toEqual([])
  })
})

describe('the folder of mentions', () => {
  test('has who was mentioned to the caller, also after a merge, and no closed ones', async () => {
    await using inbox = await Inbox.create(4)
    const colleague = await inbox.colleague('contacts:read', 'contacts:read_all', 'messages:read')
    const note = async (nth: number, who: string): Promise<void> => {
      const path = `${await inbox.contactPath(nth)}/notes`
      const answer = await inbox.manager.post(path, { content: 'Look!', mentions: [who] })
      expect(answer.status).toBe(201)
    }
    for (const nth of [0, 1, 3]) await note(nth, colleague.userId)
    await note(2, inbox.world.tenant.userIds.agent)
    expect(await mentions(colleague.client)).toEqual(['Text 3', 'Text 1', 'Text 0'])
    expect(await mentions(inbox.manager)).toEqual([])
    await inbox.manager.put(await inbox.path(3), { state: 'closed' })
    expect(await mentions(colleague.client)).toEqual(['Text 1', 'Text 0'])
    const [source, target] = [await inbox.contactPath(0), await inbox.contactPath(2)]
    const admin = await inbox.world.as('admin')
    const merged = await admin.post(`${target}/merge`, { source_id: source.split('/').at(-1) })
    expect(merged.status).toBeLessThan(300)
    expect(await mentions(colleague.client)).toEqual(['Text 2', 'Text 1'])
  })

  test('has no contact of whom another notification tells', async () => {
    await using inbox = await Inbox.create(1)
    const contactId = ((await inbox.of(0))['contact'] as Loose)['id']
    const sendAt = new Date(inbox.world.clock.nowMs() + 26 * HOUR_MS).toISOString()
    const { status } = await inbox.manager.post('/api/scheduled-messages', {
      ...{ contact_id: contactId, send_at: sendAt },
      message: { type: 'text', text: 'Tomorrow' },
    })
    expect(status).toBe(201)
    // the window is closed by then, and its author is told
    await inbox.passes({ hours: 27 })
    const manager = await inbox.world.as('manager')
    const told = (await manager.get('/api/me/notifications')).data['items'] as Loose[]
    expect(told).toMatchObject([{ link: `/contacts/${contactId}` }])
    expect(await mentions(manager)).toEqual([])
  })

  test('has only what the caller sees', async () => {
    await using inbox = await Inbox.create(2)
    const colleague = await inbox.colleague(...SEES_OWN)
    for (const nth of [0, 1])
      await inbox.manager.post(`${await inbox.contactPath(nth)}/notes`, {
        content: 'Look!',
        mentions: [colleague.userId],
      })
    expect(await mentions(colleague.client)).toEqual([])
    await inbox.manager.put(`${await inbox.contactPath(1)}/assign`, { user_id: colleague.userId })
    expect(await mentions(colleague.client)).toEqual(['Text 1'])
  })
})

test('the counts name open conversations by number, team and person', async () => {
  await using desk = await Desk.create(4)
  const team = await desk.team()
  const other = await desk.team()
  await desk.team([], { is_active: false })
  const gone = await secondNumber(desk.world)
  await (await desk.world.as('admin')).delete(`/api/accounts/${gone.accountId}`)
  const agent = desk.world.tenant.userIds.agent
  const account = desk.world.tenant.accountId ?? ''
  for (const nth of [0, 1]) {
    await desk.manager.put(`${await desk.inbox.path(nth)}/assign`, { user_id: agent })
    await desk.manager.put(`${await desk.inbox.path(nth)}/assign`, { team_id: team })
  }
  await desk.manager.post(`${await desk.inbox.path(2)}/claim`)
  await desk.manager.put(await desk.inbox.path(0), { state: 'closed' })
  const wanted = {
    by_user: { [agent]: 2, [desk.world.tenant.userIds.manager]: 1 },
    by_team: { [team]: 2 },
    mine: 1,
    folders: {
      mine: 1,
      unassigned: 1,
      waiting: 0,
      mentioned: 0,
      accounts: [{ id: account, name: 'Acme main', count: 3 }],
      teams: [
        { id: team, name: 'Team 1', count: 1 },
        { id: other, name: 'Team 2', count: 0 },
      ],
    },
  }
  for (const query of ['', '?search=1555']) {
    const { data } = await desk.manager.get(`/api/conversations/counts${query}`)
    expect({ ...data, by_user: data['by_user'] }).toMatchObject(wanted)
    expect(data['folders']).toEqual(wanted.folders)
  }
  const seen = async (client: Client, query = ''): Promise<unknown> =>
    (await client.get(`/api/conversations/counts${query}`)).data['folders']
  const none = { mine: 0, unassigned: 0, waiting: 0, mentioned: 0 }
  const numbers = [{ id: account, name: 'Acme main', count: 0 }]
  expect(await seen(desk.manager, '?state=closed')).toMatchObject({ ...none, accounts: numbers })
  const member = await desk.agent()
  expect(await seen(member.client)).toEqual({ ...none, accounts: [], teams: [] })
  await (
    await desk.world.as('admin')
  ).post(`/api/teams/${other}/members`, {
    user_id: member.userId,
  })
  expect(await seen(member.client)).toMatchObject({
    accounts: [],
    teams: [{ id: other, name: 'Team 2', count: 0 }],
  })
})

test("the counts name the caller's conversations that were closed today, by the organization's clock", async () => {
  await using inbox = await Inbox.create(4)
  const admin = await inbox.world.as('admin')
  await admin.put('/api/organizations/settings', { timezone: 'Pacific/Auckland' })
  const closedToday = async (query = ''): Promise<unknown> => {
    const manager = await inbox.world.as('manager')
    return (await manager.get(`/api/conversations/counts${query}`)).data['closed_today']
  }
  for (const nth of [0, 1, 2]) {
    if (nth < 2) await inbox.manager.post(`${await inbox.path(nth)}/claim`)
    await inbox.manager.put(await inbox.path(nth), { state: 'closed' })
  }
  expect(await closedToday()).toBe(2)
  expect([await closedToday('?search=15550300001'), await closedToday('?state=open')]).toEqual([
    1, 0,
  ])
  await inbox.manager.put(await inbox.path(1), { state: 'open' })
  expect(await closedToday()).toBe(1)
  // 21 November, 09:34 UTC, is 22:34 in Auckland
  inbox.world.clock.advance({ hours: 1 })
  expect(await closedToday()).toBe(1)
  inbox.world.clock.advance({ minutes: 30 })
  expect(await closedToday()).toBe(0)
})
