import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { keyOf, type KeyHolder } from '../../../support/keys'
import { newcomer } from '../../../support/newcomers'
import { AT_HASHES, whileWaiting } from '../../../support/waiting'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client
let owner: { id: string; client: Client }
let key: KeyHolder
let target: { id: string; email: string }

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

beforeEach(async () => {
  admin = await world.as('admin')
  owner = await newcomer(world, { role: 'admin' })
  key = await keyOf(world, {}, owner.client)
  target = await newcomer(world)
})

let people = 0
const newEmail = (): string => `made-by-key-${(people += 1)}@example.com`

const WAYS: [how: string, end: () => Promise<Answer<Loose>>, status: number, code: string][] = [
  ['was deleted', () => admin.delete(`/api/api-keys/${key.id}`), 401, 'invalid_api_key'],
  [
    'was switched off',
    () => admin.put(`/api/api-keys/${key.id}`, { is_active: false }),
    401,
    'invalid_api_key',
  ],
  ['lost its owner', () => admin.delete(`/api/users/${owner.id}`), 401, 'key_owner_inactive'],
  [
    'lost the permission',
    () => admin.put(`/api/api-keys/${key.id}`, { permissions: ['contacts:read'] }),
    403,
    'permission_denied',
  ],
]

describe('a key is checked again after hashing a password', () => {
  for (const [how, end, status, code] of WAYS) {
    test(`POST /api/users creates nobody if it ${how} meanwhile`, async () => {
      const email = newEmail()
      const ask = () =>
        key.client.post('/api/users', { email, password: PASSWORD, full_name: 'New' })
      const answer = await whileWaiting(world, AT_HASHES, ask, async () =>
        expect((await end()).status).toBe(200),
      )
      expect([answer.status, answer.body.code]).toEqual([status, code])
      expect(world.rows('select id from users where email = ?', email)).toEqual([])
    })

    test(`PUT /api/users/{id} changes nothing if it ${how} meanwhile`, async () => {
      const ask = () =>
        key.client.put(`/api/users/${target.id}`, {
          full_name: 'Changed',
          password: 'another password',
        })
      const answer = await whileWaiting(world, AT_HASHES, ask, async () =>
        expect((await end()).status).toBe(200),
      )
      expect([answer.status, answer.body.code]).toEqual([status, code])
      const { data } = await admin.get(`/api/users/${target.id}`)
      expect(data['full_name']).not.toBe('Changed')
      expect(
        (await world.anyone.post('/api/auth/login', { email: target.email, password: PASSWORD }))
          .status,
      ).toBe(200)
    })
  }

  test('a key that is still valid creates the user', async () => {
    const ask = () =>
      key.client.post('/api/users', { email: newEmail(), password: PASSWORD, full_name: 'New' })
    expect((await whileWaiting(world, AT_HASHES, ask, async () => null)).status).toBe(201)
  })
})
