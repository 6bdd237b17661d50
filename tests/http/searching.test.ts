import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

let world: World
let admin: Client

const NAME = 'Čeština ЖУК'

/** Lists that are searched, and where in the answer their rows stand. */
const LISTS: Record<string, string> = {
  '/api/organizations': 'organizations',
  '/api/roles': 'items',
  '/api/api-keys': 'items',
  '/api/users': 'items',
  '/api/organizations/members': 'members',
  '/api/accounts': 'items',
  '/api/tags': 'items',
  '/api/teams': 'teams',
  '/api/custom-actions': 'custom_actions',
  '/api/segments': 'items',
  '/api/canned-responses': 'items',
  '/api/contacts': 'items',
  '/api/conversations': 'items',
  '/api/audit-logs': 'items',
}

beforeAll(async () => {
  world = await World.create({ env: { RATE_STANDARD: '0' } })
  admin = await world.as('admin')
  const contact = await world.contactOf()
  const made = [
    await admin.put('/api/organizations/settings', { name: NAME }),
    await admin.post('/api/roles', { name: NAME, permissions: [] }),
    await admin.post('/api/api-keys', { name: NAME, permissions: ['tags:read'] }),
    await admin.put('/api/me', { full_name: NAME }),
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: NAME }),
    await admin.post('/api/tags', { name: NAME }),
    await admin.post('/api/teams', { name: NAME }),
    await admin.post('/api/custom-actions', {
      name: NAME,
      action_type: 'url',
      config: { url: 'https://example.com' },
    }),
    await admin.post('/api/segments', {
      name: NAME,
      filter: { field: 'country', op: 'eq', value: 'US' },
    }),
    await admin.post('/api/canned-responses', { name: NAME, content: 'x' }),
    await admin.put(`/api/contacts/${contact['id']}`, { name: NAME }),
  ]
  expect(made.map(({ status }) => status).filter((status) => status > 201)).toEqual([])
})

afterAll(() => world.stop())

async function found(path: string, search: string): Promise<number> {
  const { status, data } = await admin.get(`${path}?search=${search}`)
  expect(status).toBe(200)
  return (data[LISTS[path] ?? ''] as Loose[]).length
}

describe('a search', () => {
  for (const path of Object.keys(LISTS))
    test(`of ${path} ignores case in every alphabet`, async () => {
      for (const typed of ['жук', 'ЖУК', 'čEŠTINA', 'Čeština']) {
        const count = await found(path, encodeURIComponent(typed))
        expect({ typed, isFound: count > 0 }).toEqual({ typed, isFound: true })
      }
    })

  for (const path of Object.keys(LISTS))
    test(`of ${path} for special characters finds nothing`, async () => {
      const counts = await Promise.all(
        ['%00', '%00%00', '%25', '%5C%25', 'ж_к'].map((typed) => found(path, typed)),
      )
      expect(counts).toEqual([0, 0, 0, 0, 0])
    })

  test('finds roles by description and canned responses by text and shortcut', async () => {
    await admin.post('/api/roles', { name: 'Supervisor', description: 'ŽLUTÝ', permissions: [] })
    await admin.post('/api/canned-responses', {
      name: 'Another',
      content: 'ZELENÝ ŽLUŤOUČKÝ',
      shortcut: 'green',
    })
    expect([
      await found('/api/roles', 'žlutý'),
      await found('/api/canned-responses', 'žluťoučký'),
    ]).toEqual([1, 1])
    expect(await found('/api/canned-responses', 'GREEN')).toBe(1)
  })

  test('finds a renamed resource by its new name', async () => {
    const { data } = await admin.post('/api/roles', { name: 'Before', permissions: [] })
    await admin.put(`/api/roles/${data['id']}`, { name: 'ПОТОМ' })
    expect([await found('/api/roles', 'before'), await found('/api/roles', 'потом')]).toEqual([
      0, 1,
    ])
  })
})

test('organizations are sorted by name, ignoring case', async () => {
  const person = await world.as('manager')
  const names = ['zeta', 'Alpha', 'Ébène', 'beta', 'Zebra', 'alpha 2']
  for (const name of names) {
    expect((await person.post('/api/organizations', { name })).status).toBe(201)
    world.program.http.db.sqlite.run('delete from throttle_failures') // three a day otherwise
  }
  const sorted = ['Alpha', 'alpha 2', 'beta', NAME, 'Ébène', 'Zebra', 'zeta']
  const namesOf = async (path: string): Promise<unknown[]> =>
    ((await person.get(path)).data['organizations'] as Loose[]).map(({ name }) => name)
  expect(await namesOf('/api/organizations')).toEqual(sorted)
  expect(await namesOf('/api/me/organizations')).toEqual(sorted)
  expect(await namesOf('/api/organizations?limit=3&page=2')).toEqual(sorted.slice(3, 6))
})
