import { afterAll, beforeAll, expect, test } from 'bun:test'

import { World } from '../support/world'

const INVITATIONS = '/api/organizations/invitations'

let world: World

beforeAll(async () => {
  world = await World.create()
  const admin = await world.as('admin')
  for (const name of ['ann', 'bob', 'cleo']) {
    expect((await admin.post(INVITATIONS, { email: `${name}@example.net` })).status).toBe(201)
    const person = { email: `${name}@example.com`, full_name: name, password: 'a long password' }
    const role = { role_id: world.tenant.roleIds.agent }
    expect((await admin.post('/api/users', { ...person, ...role })).status).toBe(201)
  }
})

afterAll(() => world.stop())

test('pages of every size add up to the same list with the same total', async () => {
  const lists = [
    '/api/organizations/members',
    '/api/users',
    INVITATIONS,
    '/api/audit-logs',
    '/api/audit-logs?resource_type=user',
  ]
  for (const path of lists) {
    const at = (page: number, limit: number): string =>
      `${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=${limit}`
    const all = await (await world.as('admin')).get(at(1, 100))
    const name = path.endsWith('members') ? 'members' : 'items'
    const items = all.data[name] as unknown[]
    expect(items.length).toBeGreaterThan(1)
    expect(all.data['total']).toBe(items.length)
    for (const limit of [1, 2, 3]) {
      const pages: unknown[] = []
      for (let page = 1; page <= Math.ceil(items.length / limit); page += 1) {
        const { data } = await (await world.as('admin')).get(at(page, limit))
        expect(data['total']).toBe(items.length)
        pages.push(...(data[name] as unknown[]))
      }
      expect(pages).toEqual(items)
    }
    expect((await (await world.as('admin')).get(at(items.length + 1, 1))).data[name]).toEqual([])
  }
})

test('my organizations are all listed, or a page of them with the total', async () => {
  const admin = await world.as('admin')
  for (const name of ['Zoo', 'Bakery'])
    expect((await admin.post('/api/organizations', { name })).status).toBe(201)
  const all = (await admin.get('/api/me/organizations')).data
  expect(Object.keys(all)).toEqual(['organizations'])
  const pages: unknown[] = []
  for (const page of [1, 2]) {
    const { data } = await admin.get(`/api/me/organizations?page=${page}&limit=2`)
    expect({ ...data, organizations: null }).toEqual({
      ...{ organizations: null, total: 3, page, limit: 2 },
    })
    pages.push(...(data['organizations'] as unknown[]))
  }
  expect(pages).toEqual(all['organizations'] as unknown[])
})
