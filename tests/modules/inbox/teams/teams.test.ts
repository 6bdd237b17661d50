import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { addMemberIn } from '../../../../src/modules/organization/memberships/service'
import { teamMembers } from '../../../../src/modules/inbox/teams/table'
import { users } from '../../../../src/modules/organization/users/table'
import type { Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { Desk, pathOf } from '../../../support/transfers'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create({ env: { RATE_STANDARD: '0' } })
  manager = await world.as('manager')
})

afterAll(() => world.stop())

describe('a team', () => {
  test('is created with its defaults', async () => {
    const answer = await manager.post('/api/teams', { name: '  Support ' })
    expect([answer.status, answer.data['team']]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Support',
        description: null,
        assignment_strategy: 'round_robin',
        is_active: true,
        per_agent_timeout_secs: 0,
        max_active_per_agent: null,
        member_count: 0,
        created_at: '2026-11-21T09:30:00.000Z',
        updated_at: '2026-11-21T09:30:00.000Z',
      },
    ])
  })

  test('keeps what it was given', async () => {
    const given = {
      name: 'Sales',
      description: 'New customers',
      assignment_strategy: 'manual',
      is_active: false,
      per_agent_timeout_secs: 3_600,
      max_active_per_agent: 1,
    }
    expect((await manager.post('/api/teams', given)).data['team']).toMatchObject(given)
  })

  test.each<[what: string, body: unknown, path: string]>([
    ['without a name', {}, 'body.name'],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
    [
      'with a description of 501 characters',
      { name: 'A', description: 'x'.repeat(501) },
      'body.description',
    ],
    [
      'with an unknown strategy',
      { name: 'A', assignment_strategy: 'lottery' },
      'body.assignment_strategy',
    ],
    [
      'with a timeout above an hour',
      { name: 'A', per_agent_timeout_secs: 3_601 },
      'body.per_agent_timeout_secs',
    ],
    [
      'with a timeout below zero',
      { name: 'A', per_agent_timeout_secs: -1 },
      'body.per_agent_timeout_secs',
    ],
    [
      'with a capacity of zero',
      { name: 'A', max_active_per_agent: 0 },
      'body.max_active_per_agent',
    ],
    ['with a flag in words', { name: 'A', is_active: 'maybe' }, 'body.is_active'],
  ])('%s is refused', async (_, body, path) => {
    const answer = await manager.post('/api/teams', body)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  })

  test('has a unique name regardless of case', async () => {
    const answer = await manager.post('/api/teams', { name: 'SUPPORT' })
    expect([answer.status, answer.body.code]).toEqual([409, 'name_taken'])
  })

  test('is recorded in the audit log', async () => {
    const { data } = await (await world.as('admin')).get('/api/audit-logs?resource_type=team')
    const entries = (data['items'] as Loose[]).map(({ action, resource_name }) => [
      action,
      resource_name,
    ])
    expect(entries).toContainEqual(['created', 'Support'])
  })
})

describe('the list of teams', () => {
  test('is sorted by name, paged and searched', async () => {
    const { data } = await manager.get('/api/teams?limit=1')
    expect([data['total'], data['total_pages'], (data['teams'] as Loose[])[0]?.['name']]).toEqual([
      2,
      2,
      'Sales',
    ])
    const found = (await manager.get('/api/teams?search=upp')).data['teams'] as Loose[]
    expect(found.map(({ name }) => name)).toEqual(['Support'])
  })

  test('is empty for a user who is in no team', async () => {
    const { status, data } = await (await world.as('agent')).get('/api/teams')
    expect([status, data['teams'], data['total']]).toEqual([200, [], 0])
  })
})

test('an organization has at most 200 teams', async () => {
  await using own = await World.create({ isConnected: false, env: { RATE_STANDARD: '0' } })
  const admin = await own.as('admin')
  for (let number = 0; number < 200; number += 1)
    expect((await admin.post('/api/teams', { name: `Team ${number}` })).status).toBe(201)
  const answer = await admin.post('/api/teams', { name: 'One more' })
  expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  const [one] = (await admin.get('/api/teams?limit=1')).data['items'] as Loose[]
  await admin.delete(`/api/teams/${one?.['id']}`)
  expect((await admin.post('/api/teams', { name: 'One more' })).status).toBe(201)
})

const created = async (name: string, more: Loose = {}): Promise<string> =>
  String(((await manager.post('/api/teams', { name, ...more })).data['team'] as Loose)['id'])

describe('a change of a team', () => {
  test('keeps the fields that are not sent, and null clears', async () => {
    const id = await created('Night', { description: 'From ten to six', max_active_per_agent: 3 })
    const changed = await manager.put(`/api/teams/${id}`, { assignment_strategy: 'manual' })
    expect(changed.data['team']).toMatchObject({
      name: 'Night',
      description: 'From ten to six',
      max_active_per_agent: 3,
      assignment_strategy: 'manual',
    })
    const cleared = await manager.put(`/api/teams/${id}`, {
      description: null,
      max_active_per_agent: null,
    })
    expect(cleared.data['team']).toMatchObject({ description: null, max_active_per_agent: null })
    const taken = await manager.put(`/api/teams/${id}`, { name: 'sales' })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    expect((await manager.put(`/api/teams/${id}`, { name: 'NIGHT' })).status).toBe(200)
    await manager.put(`/api/teams/${id}`, { name: 'Day' })
    await created('Night')
    expect((await manager.post('/api/teams', { name: 'day' })).body.code).toBe('name_taken')
  })

  test('is recorded with every field that changed, and its deletion', async () => {
    const id = await created('Recorded')
    const all = {
      name: 'Written',
      description: 'x',
      assignment_strategy: 'manual',
      is_active: false,
      per_agent_timeout_secs: 60,
      max_active_per_agent: 2,
    }
    await manager.put(`/api/teams/${id}`, all)
    await manager.put(`/api/teams/${id}`, all)
    await manager.delete(`/api/teams/${id}`)
    const admin = await world.as('admin')
    const log = await admin.get(`/api/audit-logs?resource_type=team&resource_id=${id}`)
    const [deleted, updated, ...others] = log.data['items'] as Loose[]
    expect([deleted?.['action'], deleted?.['resource_name'], others.length]).toEqual([
      'deleted',
      'Written',
      1,
    ])
    expect(
      ((updated?.['changes'] ?? []) as Loose[]).map(({ field, new_value }) => [field, new_value]),
    ).toEqual(Object.entries(all))
  })

  test('a deleted team is gone, and its name is free again', async () => {
    const id = await created('Short-lived')
    const add = { user_id: world.tenant.userIds.agent }
    expect((await manager.post(`/api/teams/${id}/members`, add)).status).toBe(201)
    const members = () => world.rows('select id from team_members').length
    const before = members()
    expect((await manager.delete(`/api/teams/${id}`)).status).toBe(200)
    expect(members()).toBe(before - 1)
    expect((await manager.get(`/api/teams/${id}`)).status).toBe(404)
    expect((await manager.put(`/api/teams/${id}`, { name: 'Back' })).status).toBe(404)
    expect((await manager.delete(`/api/teams/${id}`)).status).toBe(404)
    expect((await manager.get('/api/teams?search=short')).data['total']).toBe(0)
    await created('Short-lived')
  })
})

describe('the members of a team', () => {
  const agentId = (): string => world.tenant.userIds.agent
  const member = async (teamId: string, role?: string): Promise<Loose> =>
    (
      await manager.post(`/api/teams/${teamId}/members`, {
        user_id: agentId(),
        ...(role === undefined ? {} : { role }),
      })
    ).data['member'] as Loose

  test('are added once, as agents by default', async () => {
    const id = await created('First line')
    expect(await member(id)).toEqual({
      id: expect.any(String),
      user_id: agentId(),
      full_name: expect.any(String),
      email: world.emailOf('agent', world.tenant),
      role: 'agent',
      is_available: true,
      active_transfers: 0,
      last_assigned_at: null,
    })
    const again = await manager.post(`/api/teams/${id}/members`, { user_id: agentId() })
    expect([again.status, again.body.code]).toEqual([409, 'already_member'])
    expect((await manager.get(`/api/teams/${id}`)).data).toMatchObject({
      team: { name: 'First line', member_count: 1 },
      members: [{ user_id: agentId() }],
    })
  })

  test('belong to the organization', async () => {
    const id = await created('Second line')
    const answer = await manager.post(`/api/teams/${id}/members`, {
      user_id: world.other.userIds.agent,
    })
    expect([answer.status, answer.body.code, answer.body.errors?.[0]?.path]).toEqual([
      400,
      'not_a_member',
      'body.user_id',
    ])
  })

  test('change their role and leave, in this team only', async () => {
    const id = await created('Third line')
    const other = await created('Another third line')
    await member(other)
    await member(id)
    const path = `/api/teams/${id}/members/${agentId()}`
    expect((await manager.put(path, { role: 'manager' })).data['member']).toMatchObject({
      role: 'manager',
    })
    expect((await manager.delete(path)).status).toBe(200)
    expect((await manager.delete(path)).status).toBe(404)
    expect((await manager.get(`/api/teams/${id}/members`)).data['members']).toEqual([])
    expect((await manager.get(`/api/teams/${other}/members`)).data['members']).toMatchObject([
      { user_id: agentId(), role: 'agent' },
    ])
  })

  test('show who is away', async () => {
    const id = await created('Fourth line')
    await member(id)
    const agent = await world.as('agent')
    await agent.put('/api/me/availability', { is_available: false })
    const { data } = await manager.get(`/api/teams/${id}/members`)
    expect(data['members']).toMatchObject([{ is_available: false }])
    await agent.put('/api/me/availability', { is_available: true })
  })

  test('show how many active transfers they have in the team', async () => {
    await using desk = await Desk.create(2)
    const agent = await desk.agent()
    const team = await desk.team([agent])
    const transfer = await desk.transfer(0, { team_id: team, agent_id: agent.userId })
    await desk.transfer(1, { agent_id: agent.userId })
    const activeOf = async (): Promise<unknown> => {
      const { data } = await desk.manager.get(`/api/teams/${team}/members`)
      return (data['members'] as Loose[]).map(({ active_transfers }) => active_transfers)
    }
    expect(await activeOf()).toEqual([1])
    await desk.manager.put(pathOf(transfer, 'resume'))
    expect(await activeOf()).toEqual([0])
  })

  test('lose their teams with their membership of the organization, and can be added again', async () => {
    const admin = await world.as('admin')
    const person = await personWith(world, [])
    const id = await created('Fifth line')
    const add = { user_id: person.userId, role: 'manager' }
    expect((await manager.post(`/api/teams/${id}/members`, add)).status).toBe(201)
    await admin.delete(`/api/organizations/members/${person.userId}`)
    expect((await manager.get(`/api/teams/${id}/members`)).data['members']).toEqual([])
    await admin.post('/api/organizations/members', { user_id: person.userId })
    expect((await manager.get(`/api/teams/${id}/members`)).data['members']).toEqual([])
    expect((await manager.post(`/api/teams/${id}/members`, add)).status).toBe(201)
  })

  test('are recorded in the audit log', async () => {
    const { data } = await (await world.as('admin')).get('/api/audit-logs?resource_type=team')
    const actions = new Set((data['items'] as Loose[]).map(({ action }) => action))
    expect(actions).toContain('member_added')
    expect(actions).toContain('member_removed')
    expect(actions).toContain('role_changed')
  })

  test('are at most 500', async () => {
    await using own = await World.create()
    const { http } = own.program
    const admin = await own.as('admin')
    const { data } = await admin.post('/api/teams', { name: 'Everybody' })
    const teamId = String((data['team'] as Loose)['id'])
    const ctx = systemCtx(http, own.tenant.id)
    const [last, tooMany] = transact(http.db, (tx) => {
      const agent = tx.select().from(users).limit(1).get()
      if (!agent) throw new Error('there is no user')
      return Array.from({ length: 501 }, (_, at) => {
        const id = http.ids.next()
        const email = `${id}@example.com`
        tx.insert(users)
          .values({ ...agent, id, email })
          .run()
        addMemberIn(tx, ctx, { userId: id, roleId: own.tenant.roleIds.agent, isDefault: false })
        const key = { organizationId: own.tenant.id, teamId, userId: id, id: http.ids.next() }
        if (at >= 2)
          tx.insert(teamMembers)
            .values({ ...key, role: 'agent', createdAtMs: 0 })
            .run()
        return id
      })
    })
    const add = (user_id: unknown) => admin.post(`/api/teams/${teamId}/members`, { user_id })
    expect((await add(last)).status).toBe(201)
    expect(await add(tooMany)).toMatchObject({ status: 409, body: { code: 'limit_reached' } })
    const second = (await admin.post('/api/teams', { name: 'Somebody' })).data['team'] as Loose
    const there = { user_id: tooMany }
    expect((await admin.post(`/api/teams/${second['id']}/members`, there)).status).toBe(201)
  })
})

describe('a user without permissions', () => {
  test('sees the own teams only', async () => {
    const person = await personWith(world, [])
    const [own, strange] = [await created('Own'), await created('Strange')]
    await manager.post(`/api/teams/${own}/members`, { user_id: person.userId })
    const { data } = await person.client.get('/api/teams')
    expect((data['teams'] as Loose[]).map(({ id }) => id)).toEqual([own])
    for (const [id, status] of [
      [own, 200],
      [strange, 403],
      [NOBODY, 404],
    ] as const) {
      expect((await person.client.get(`/api/teams/${id}`)).status).toBe(status)
      expect((await person.client.get(`/api/teams/${id}/members`)).status).toBe(status)
    }
  })

  test('cannot change a team as its agent', async () => {
    const person = await personWith(world, [])
    const id = await created('Unchanged')
    await manager.post(`/api/teams/${id}/members`, { user_id: person.userId })
    const { client } = person
    const refused = [
      await client.put(`/api/teams/${id}`, { name: 'Mine' }),
      await client.post(`/api/teams/${id}/members`, { user_id: world.tenant.userIds.agent }),
      await client.put(`/api/teams/${id}/members/${person.userId}`, { role: 'manager' }),
      await client.delete(`/api/teams/${id}/members/${person.userId}`),
      await client.delete(`/api/teams/${id}`),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [403, 'permission_denied']),
    )
  })

  test('changes a team as its manager, but not its managers', async () => {
    const person = await personWith(world, [])
    const colleague = await personWith(world, [])
    const id = await created('Managed')
    await manager.post(`/api/teams/${id}/members`, { user_id: person.userId, role: 'manager' })
    const { client } = person
    const agent = world.tenant.userIds.agent
    expect((await client.put(`/api/teams/${id}`, { description: 'Ours' })).status).toBe(200)
    expect((await client.post(`/api/teams/${id}/members`, { user_id: agent })).status).toBe(201)
    const refused = [
      await client.post(`/api/teams/${id}/members`, { user_id: colleague.userId, role: 'manager' }),
      await client.put(`/api/teams/${id}/members/${agent}`, { role: 'manager' }),
      await client.put(`/api/teams/${id}/members/${person.userId}`, { role: 'agent' }),
      await client.delete(`/api/teams/${id}/members/${person.userId}`),
      await client.delete(`/api/teams/${id}`),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [403, 'permission_denied']),
    )
    expect((await client.delete(`/api/teams/${id}/members/${agent}`)).status).toBe(200)
  })
})

test('an API key needs the permission, also if its owner is in the team', async () => {
  const id = await created('Of people')
  await manager.post(`/api/teams/${id}/members`, { user_id: world.tenant.userIds.admin })
  const without = await keyOf(world, { permissions: ['contacts:read'] })
  for (const path of ['/api/teams', `/api/teams/${id}`, `/api/teams/${id}/members`])
    expect((await without.client.get(path)).body.code).toBe('permission_denied')
  const reader = await keyOf(world, { permissions: ['teams:read'] })
  expect((await reader.client.get(`/api/teams/${id}`)).status).toBe(200)
})
