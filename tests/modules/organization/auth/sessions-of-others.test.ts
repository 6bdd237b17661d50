import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { joinToo, personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let admin: Client
beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
})
afterAll(() => world.stop())

const sessionsOf = async (client: Client, userId: string): Promise<Loose[]> =>
  (await client.get(`/api/users/${userId}/sessions`)).data['items'] as Loose[]

describe('the sessions of a colleague', () => {
  test('are listed, and one of them is ended', async () => {
    const person = await personWith(world, ['messages:read'])
    const [only, ...others] = await sessionsOf(admin, person.userId)
    expect(others).toEqual([])
    expect(only).toMatchObject({ organization_id: world.tenant.id, is_current: false })
    const end = await admin.delete(`/api/users/${person.userId}/sessions/${String(only?.['id'])}`)
    expect(end.status).toBe(200)
    expect((await person.client.get('/api/me')).status).toBe(401)
    expect(await sessionsOf(admin, person.userId)).toEqual([])
    const { data } = await admin.get(`/api/audit-logs?resource_id=${person.userId}`)
    expect(data['items']).toContainEqual(expect.objectContaining({ action: 'session_ended' }))
  })

  test('are a secret of who may do more, and of other organizations', async () => {
    const person = await personWith(world, ['users:update', 'users:read'])
    const { admin: adminId } = world.tenant.userIds
    const asked = await person.client.get(`/api/users/${adminId}/sessions`)
    expect([asked.status, asked.body.code]).toEqual([403, 'escalation'])
    const [own] = await sessionsOf(admin, adminId)
    const path = `/api/users/${adminId}/sessions/${String(own?.['id'])}`
    expect((await person.client.delete(path)).status).toBe(403)
    const stranger = await world.as('admin', world.other)
    expect((await stranger.get(`/api/users/${adminId}/sessions`)).status).toBe(404)
    expect((await stranger.delete(path)).status).toBe(404)
    expect((await admin.get('/api/me')).status).toBe(200)
  })

  test('of another person cannot be ended under a wrong name', async () => {
    const [one, other] = [await personWith(world, []), await personWith(world, [])]
    const [session] = await sessionsOf(admin, one.userId)
    const path = `/api/users/${other.userId}/sessions/${String(session?.['id'])}`
    expect((await admin.delete(path)).status).toBe(404)
    expect(await sessionsOf(admin, one.userId)).toHaveLength(1)
  })

  test('of somebody who accepted another organization are ended by them alone', async () => {
    const person = await personWith(world, ['messages:read'])
    const [session] = await sessionsOf(admin, person.userId)
    joinToo(world, person.userId, world.other)
    const path = `/api/users/${person.userId}/sessions/${String(session?.['id'])}`
    const answer = await admin.delete(path)
    expect([answer.status, answer.body.code]).toEqual([403, 'account_managed_elsewhere'])
  })
})
