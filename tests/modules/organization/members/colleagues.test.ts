import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let nobody: OwnRole

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  nobody = await personWith(world, [])
})
afterAll(() => world.stop())

const listed = async (query = '', client: Client = nobody.client): Promise<Loose[]> =>
  (await client.get(`/api/colleagues${query}`)).data['items'] as Loose[]
const namesOf = (items: Loose[]): string[] => items.map((item) => String(item['full_name']))

describe('colleagues', () => {
  test('are all active members by name, for everybody, without emails', async () => {
    const { data } = await nobody.client.get('/api/colleagues')
    expect(namesOf(data['items'] as Loose[])).toEqual([
      'Acme admin',
      'Acme agent',
      'Acme manager',
      'Own Role',
    ])
    expect(data).toMatchObject({ total: 4, page: 1, limit: 20, total_pages: 1 })
    expect((data['items'] as Loose[])[1]).toEqual({
      id: world.tenant.userIds.agent,
      full_name: 'Acme agent',
      is_available: true,
      role_name: 'agent',
      teams: [],
    })
    expect(JSON.stringify(data)).not.toContain('@')
  })

  test('are searched by name and not by email', async () => {
    expect(namesOf(await listed('?search=MANA'))).toEqual(['Acme manager'])
    expect(await listed('?search=example.com')).toEqual([])
    expect(await listed('?search=%25')).toEqual([])
    expect(namesOf(await listed('?limit=2&page=2'))).toEqual(['Acme manager', 'Own Role'])
  })

  test('show their active teams and their availability', async () => {
    const admin = await world.as('admin')
    const agentId = world.tenant.userIds.agent
    const teamIds: string[] = []
    for (const name of ['Support', 'Night shift', 'Former']) {
      const id = String((await admin.post('/api/teams', { name })).data['team']['id'])
      await admin.post(`/api/teams/${id}/members`, { user_id: agentId })
      teamIds.push(id)
    }
    await admin.put(`/api/teams/${teamIds[2]}`, { is_active: false })
    await admin.put(`/api/users/${agentId}/availability`, { is_available: false })
    expect((await listed('?search=agent'))[0]).toMatchObject({
      is_available: false,
      teams: [
        { id: teamIds[1], name: 'Night shift' },
        { id: teamIds[0], name: 'Support' },
      ],
    })
  })

  test('are read one by one', async () => {
    const path = `/api/colleagues/${world.tenant.userIds.agent}`
    const [agent] = (await listed('?search=agent')) as [Loose]
    expect((await nobody.client.get(path)).data).toEqual(agent)
    const others = await world.as('agent', world.other)
    expect((await others.get(path)).status).toBe(404)
  })

  test('leave out suspended members and other organizations', async () => {
    const admin = await world.as('admin')
    await admin.put(`/api/users/${world.tenant.userIds.manager}`, { is_active: false })
    expect(namesOf(await listed())).not.toContain('Acme manager')
    const path = `/api/colleagues/${world.tenant.userIds.manager}`
    expect((await nobody.client.get(path)).status).toBe(404)
    const other = await listed('', await world.as('agent', world.other))
    expect(namesOf(other)).not.toContain('Acme agent')
    expect(other).toHaveLength(3)
  })

  test('are for people, not for API keys', async () => {
    const admin = await world.as('admin')
    const { data } = await admin.post('/api/api-keys', {
      name: 'Till',
      permissions: ['contacts:read'],
    })
    const key = world.anyone.with({ 'x-api-key': String(data['key']) })
    const { status, body } = await key.get('/api/colleagues')
    expect([status, body.code]).toEqual([403, 'session_required'])
  })
})
