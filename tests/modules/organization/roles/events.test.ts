import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World
let admin: Client
let member: OwnRole
let heard: TestSocket
let stranger: TestSocket

const socketOf = (client: Client): Promise<TestSocket> =>
  TestSocket.open(`${world.url.replace('http', 'ws')}/ws?token=${client.token}`)

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
  member = await personWith(world, ['contacts:read', 'messages:read'])
  heard = await socketOf(member.client)
  stranger = await world.socket('agent')
})

afterAll(async () => {
  await heard.close()
  await world.stop()
})

/** What a socket has heard about its own rights since the last time it was asked. */
const seen = new WeakMap<TestSocket, number>()
async function news(socket: TestSocket): Promise<unknown[]> {
  await world.settle()
  await socket.caughtUp()
  const all = socket.events('permissions:updated').map(({ payload }) => payload)
  const fresh = all.slice(seen.get(socket) ?? 0)
  seen.set(socket, all.length)
  return fresh
}

test('a change of a role publishes the new permissions to its members only', async () => {
  await admin.put(`/api/roles/${member.roleId}`, {
    permissions: ['contacts:read', 'contacts:read_all'],
  })
  const [told, ...more] = await news(heard)
  expect(more).toEqual([])
  expect(told).toMatchObject({
    role_id: member.roleId,
    permissions: ['contacts:read', 'contacts:read_all'],
    visibility: 'all',
    masked: false,
    reason: 'role_edited',
  })
  expect(await news(stranger)).toEqual([])
})

test('a new name is published, but no new description and no repetition', async () => {
  await admin.put(`/api/roles/${member.roleId}`, { name: 'Listener' })
  expect(await news(heard)).toMatchObject([{ role_name: 'Listener', reason: 'role_edited' }])
  await admin.put(`/api/roles/${member.roleId}`, { description: 'Listens' })
  await admin.put(`/api/roles/${member.roleId}`, { name: 'Listener' })
  expect(await news(heard)).toEqual([])
})

test('switching masking is published to callers whose view changes', async () => {
  const boss = await world.socket('admin')
  await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
  expect(await news(heard)).toMatchObject([{ masked: true, reason: 'masking_changed' }])
  expect(await news(stranger)).toMatchObject([{ masked: true, reason: 'masking_changed' }])
  expect(await news(boss)).toEqual([])
  await admin.put('/api/organizations/settings', {
    mask_phone_numbers: true,
    timezone: 'Europe/Paris',
  })
  expect(await news(heard)).toEqual([])
  await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  expect(await news(heard)).toMatchObject([{ masked: false, reason: 'masking_changed' }])
})
