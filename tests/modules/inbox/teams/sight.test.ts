import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { exported, imported } from '../../../support/imports'
import { Inbox, SEES_OWN } from '../../../support/inbox'
import { NOBODY } from '../../../support/routes'
import { personWith, type OwnRole } from '../../../support/people'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

const createTeam = async (manager: Client, name: string, members: string[]): Promise<string> => {
  const { data } = await manager.post('/api/teams', { name })
  const id = String((data['team'] as Loose)['id'])
  for (const user_id of members) await manager.post(`/api/teams/${id}/members`, { user_id })
  return id
}

describe('what is assigned to a team', () => {
  let inbox: Inbox
  let manager: Client
  let member: OwnRole
  let stranger: OwnRole
  let teamId: string

  beforeAll(async () => {
    inbox = await Inbox.create(3, { env: { RATE_STANDARD: '0' } })
    manager = inbox.manager
    member = await personWith(inbox.world, [...SEES_OWN, 'contacts:export'])
    stranger = await personWith(inbox.world, SEES_OWN)
    teamId = await createTeam(manager, 'Support', [member.userId])
    await createTeam(manager, 'Strangers', [stranger.userId])
    await manager.put(`${await inbox.contactPath(0)}/assign`, { team_id: teamId })
    await manager.put(`${await inbox.path(1)}/assign`, { team_id: teamId })
  })

  afterAll(() => inbox.world.stop())

  /** The customers that somebody sees, by every way that shows contacts. */
  async function seenBy({ client }: OwnRole): Promise<Record<string, unknown>> {
    const numbersIn = (items: unknown): string[] =>
      (items as Loose[]).map((one) => String(one['display_name'])).toSorted()
    const paths = [0, 1, 2].map((nth) => inbox.contactPath(nth))
    const statuses = (await Promise.all(paths)).map(async (path) => (await client.get(path)).status)
    const contacts = (await client.get('/api/contacts')).data
    const conversations = (await client.get('/api/conversations')).data
    const found = (await client.get('/api/messages/search?q=text')).data
    return {
      byId: await Promise.all(statuses),
      contacts: numbersIn(contacts['items']),
      contactTotal: contacts['total'],
      conversations: numbersIn(
        (conversations['items'] as Loose[]).map(({ contact }) => contact as Loose),
      ),
      conversationTotal: conversations['total'],
      open: (await client.get('/api/conversations/counts')).data['open'],
      unread: (await client.get('/api/conversations/counts')).data['unread'],
      searched: (found['items'] as Loose[]).length,
    }
  }

  const nothing = {
    byId: [404, 404, 404],
    contacts: [],
    contactTotal: 0,
    conversations: [],
    conversationTotal: 0,
    open: 0,
    unread: 0,
    searched: 0,
  }
  const theTeams = {
    byId: [200, 200, 404],
    contacts: ['Customer 0', 'Customer 1'],
    contactTotal: 2,
    conversations: ['Customer 0', 'Customer 1'],
    conversationTotal: 2,
    open: 2,
    unread: 2,
    searched: 2,
  }

  test('is seen by its members and by nobody else without contacts:read_all', async () => {
    expect(await seenBy(member)).toEqual(theTeams)
    expect(await seenBy(stranger)).toEqual(nothing)
  })

  test('is hidden while the team is inactive', async () => {
    await manager.put(`/api/teams/${teamId}`, { is_active: false })
    expect(await seenBy(member)).toEqual(nothing)
    await manager.put(`/api/teams/${teamId}`, { is_active: true })
    expect(await seenBy(member)).toEqual(theTeams)
  })

  test('is seen from the moment a user joins until they leave', async () => {
    await manager.post(`/api/teams/${teamId}/members`, { user_id: stranger.userId })
    expect(await seenBy(stranger)).toEqual(theTeams)
    await manager.delete(`/api/teams/${teamId}/members/${stranger.userId}`)
    expect(await seenBy(stranger)).toEqual(nothing)
  })

  test('is exported for its members', async () => {
    const { lines } = await exported(inbox.world, member.client, {
      table: 'contacts',
      columns: ['profile_name', 'assigned_team_id'],
    })
    expect(lines.slice(1).toSorted()).toEqual([`Customer 0,${teamId}`, 'Customer 1,'])
  })

  test('is shown with the team and found by it', async () => {
    const [contact, conversation] = [await inbox.contactPath(0), await inbox.path(1)]
    expect((await manager.get(contact)).data['assigned_team_id']).toBe(teamId)
    expect((await manager.get(conversation)).data['team_id']).toBe(teamId)
    const byTeam = (await manager.get(`/api/conversations?team_id=${teamId}`)).data
    expect([byTeam['total'], (byTeam['items'] as Loose[]).map(({ team_id }) => team_id)]).toEqual([
      2,
      [teamId, teamId],
    ])
    const counted = await manager.get(`/api/conversations/counts?team_id=${teamId}`)
    expect(counted.data).toMatchObject({ open: 2, unassigned: 2, unread: 2 })
    expect((await manager.get(`/api/conversations?team_id=${NOBODY}`)).data['total']).toBe(0)
  })

  test('may be assigned to a person too; an omitted field stays as it is', async () => {
    const path = await inbox.contactPath(2)
    const agent = inbox.world.tenant.userIds.agent
    await manager.put(`${path}/assign`, { team_id: teamId, user_id: agent })
    const kept = await manager.put(`${path}/assign`, { user_id: null })
    expect(kept.data).toMatchObject({ assigned_to: null, assigned_team_id: teamId })
    expect((await inbox.of(2))['team_id']).toBe(teamId)
    const cleared = await manager.put(`${path}/assign`, { team_id: null })
    expect(cleared.data).toMatchObject({ assigned_to: null, assigned_team_id: null })
    expect((await inbox.of(2))['team_id']).toBeNull()
  })

  test('needs an active team of the organization', async () => {
    const closed = await createTeam(manager, 'Closed', [])
    await manager.put(`/api/teams/${closed}`, { is_active: false })
    const foreign = await createTeam(
      await inbox.world.as('admin', inbox.world.other),
      'Elsewhere',
      [],
    )
    const contact_ids = [(await inbox.contactPath(2)).split('/').at(-1)]
    for (const team_id of [NOBODY, closed, foreign]) {
      const refused = [
        await manager.put(`${await inbox.contactPath(2)}/assign`, { team_id }),
        await manager.put(`${await inbox.path(2)}/assign`, { team_id }),
        await manager.post('/api/contacts/bulk', {
          contact_ids,
          action: 'assign',
          value: { team_id },
        }),
      ]
      expect(refused.map(({ status, body }) => [status, body.errors?.[0]?.path])).toEqual([
        [400, 'body.team_id'],
        [400, 'body.team_id'],
        [400, 'body.value'],
      ])
    }
  })

  test('is recorded in the audit log', async () => {
    const { data } = await (await inbox.world.as('admin')).get('/api/audit-logs?action=assigned')
    const fields = (data['items'] as Loose[]).flatMap(({ changes }) =>
      (changes as Loose[]).map(({ field, new_value }) => [field, new_value]),
    )
    expect(fields).toContainEqual(['team_id', teamId])
  })
})

describe('sockets of the members of a team', () => {
  const textsOf = (socket: TestSocket): unknown[] =>
    socket.events('message:new').map(({ payload }) => (payload['content'] as Loose)['text'])

  test('get the events of its contacts as long as the team has them', async () => {
    await using inbox = await Inbox.create(1)
    const { manager } = inbox
    const one = await inbox.colleague(...SEES_OWN)
    const two = await inbox.colleague(...SEES_OWN)
    const first = await createTeam(manager, 'First', [one.userId])
    const second = await createTeam(manager, 'Second', [two.userId])
    const path = await inbox.contactPath(0)
    await manager.put(`${path}/assign`, { team_id: first })
    await inbox.passes({ seconds: 1 })
    await inbox.says(0, 'for the first')
    await manager.put(`${path}/assign`, { team_id: second })
    await inbox.passes({ seconds: 1 })
    await inbox.says(0, 'for the second')
    await manager.put(`/api/teams/${second}`, { is_active: false })
    await inbox.says(0, 'for nobody')
    for (const { socket } of [one, two]) await socket.caughtUp()
    expect([textsOf(one.socket), textsOf(two.socket)]).toEqual([
      ['for the first'],
      ['for the second'],
    ])
    expect(one.socket.events('contact:updated').map(({ payload }) => payload['visible'])).toEqual([
      true,
      false,
    ])
    const updated = one.socket.events('conversation:updated').map(({ payload }) => payload)
    // the assignment, and the message
    expect(updated.map((payload) => payload['team_id'])).toEqual([first, first])
    expect(
      two.socket.events('permissions:updated').map(({ payload }) => payload['reason']),
    ).toContain('team_changed')
    await Promise.all([one.socket.close(), two.socket.close()])
  })

  test('stop watching a contact and start over when their user leaves the team', async () => {
    await using inbox = await Inbox.create(1)
    const { manager, world } = inbox
    const one = await inbox.colleague(...SEES_OWN)
    const team = await createTeam(manager, 'First', [one.userId])
    const path = await inbox.contactPath(0)
    await manager.put(`${path}/assign`, { team_id: team })
    const contactId = path.split('/').at(-1)
    await one.socket.ask({ type: 'subscribe', payload: { topics: [`contact:${contactId}`] } })
    await one.socket.caughtUp()
    const seen = one.socket.frames.findLast(({ seq }) => seq !== null)?.seq ?? 0
    await manager.delete(`/api/teams/${team}/members/${one.userId}`)
    await world.settle()
    await inbox.says(0, 'for nobody')
    await one.socket.caughtUp()
    expect(textsOf(one.socket)).toEqual([])
    const refused = await one.socket.ask({
      type: 'subscribe',
      payload: { topics: [`contact:${contactId}`] },
    })
    expect(refused.payload['code']).toBe('not_found')
    await one.socket.close()
    const again = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${one.client.token}`,
    )
    const answer = await again.ask({ type: 'resume', payload: { since: seen } })
    expect([answer.type, answer.payload['reason']]).toEqual(['resync', 'rights_changed'])
    await again.close()
  })

  test('of users who see every contact do not hear of their teams', async () => {
    await using inbox = await Inbox.create(1)
    const one = await inbox.colleague(...SEES_OWN, 'contacts:read_all')
    await createTeam(inbox.manager, 'First', [one.userId])
    await inbox.world.settle()
    await one.socket.caughtUp()
    expect(one.socket.events('permissions:updated')).toEqual([])
    await one.socket.close()
  })
})

test('a team with thousands of contacts shows them all, and none once it is deleted', async () => {
  await using world = await World.create({ tenants: 1, env: { RATE_STANDARD: '0' } })
  const manager = await world.as('manager')
  const member = await personWith(world, [...SEES_OWN, 'contacts:export'])
  const team = await createTeam(manager, 'Everybody', [member.userId])
  const people = Array.from({ length: 4_100 }, (_, nth) => `1555${1_000_000 + nth},Guest ${nth}`)
  await imported(world, manager, { file: `phone_number,name\n${people.join('\n')}\n` })
  await world.contactOf(world.tenant, 'hello')
  const { data: segment } = await manager.post('/api/segments', {
    name: 'All',
    filter: { field: 'created_at', op: 'exists' },
  })
  await manager.post('/api/contacts/bulk', {
    segment_id: segment['id'],
    action: 'assign',
    value: { team_id: team },
  })
  await world.settle()
  const { client } = member
  const totalOf = async (path: string): Promise<unknown> => (await client.get(path)).data['total']
  expect(await totalOf('/api/contacts')).toBe(4_101)
  expect(await totalOf('/api/contacts?search=guest+4099')).toBe(1)
  expect(await totalOf('/api/conversations')).toBe(1)
  expect(((await client.get('/api/messages/search?q=hello')).data['items'] as Loose[]).length).toBe(
    1,
  )
  expect((await manager.get('/api/conversations')).data['items']).toMatchObject([{ team_id: team }])

  expect((await manager.delete(`/api/teams/${team}`)).status).toBe(200)
  expect(await totalOf('/api/contacts')).toBe(0)
  expect(await totalOf('/api/conversations')).toBe(0)
  await world.settle()
  const left = world.rows<{ left: number }>(
    'select (select count(*) from contacts where assigned_team_id is not null) + (select count(*) from conversations where team_id is not null) as left',
  )
  expect(left).toEqual([{ left: 0 }])
  expect((await manager.get('/api/conversations')).data['items']).toMatchObject([{ team_id: null }])
})
